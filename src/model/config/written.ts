import { z } from 'zod'
import { longestTimerMs, parseDuration } from '../duration.ts'
import { EvidenceGrade } from '../proof/evidence.ts'

/** The agents that exist by themselves; every other name is one that the configuration gives. */
export const AgentKind = z.enum(['claude', 'gemini', 'codex', 'acp', 'command', 'rules', 'replay'])
export type AgentKind = z.infer<typeof AgentKind>

export const ReportFormat = z.enum(['sarif', 'rdjson', 'rdjsonl', 'eslint', 'junit', 'fixpoint'])
export type ReportFormat = z.infer<typeof ReportFormat>

/** How strict the jail around agents and commands is, loosest first. */
export const Sandbox = z.enum(['off', 'auto', 'required'])
export type Sandbox = z.infer<typeof Sandbox>

const drive = /^[a-zA-Z]:/
const leavesRepository = (path: string): boolean =>
  /^[/\\~]/.test(path) || drive.test(path) || path.split(/[/\\]/).includes('..') || path.includes('\0')

const text = z.string().trim().min(1)
const durationError = { error: 'expected a duration such as 15m, 90s or 1h30m' }
const duration = z.string(durationError).refine((written) => parseDuration(written) !== null, durationError)
const timeout = duration.refine((written) => (parseDuration(written) ?? 0) <= longestTimerMs, {
  error: 'expected 24 days at most',
})
const whole = z.int({
  error: (issue) => (issue.code === 'invalid_type' ? 'expected a whole number' : undefined),
})
const count = (least: number) => whole.min(least)
const money = z.number().min(0)
const path = text.refine((written) => !leavesRepository(written), {
  error: 'expected a path inside the repository: relative to its root, without ".."',
})
const isShareable = (written: string): boolean => {
  const [first] = written.split('/').filter((part) => part !== '' && part !== '.')
  return first !== undefined && first.toLowerCase() !== '.git'
}
const sharedPath = path.refine(isShareable, {
  error: 'expected a file or folder that git ignores, such as node_modules',
})
const agentName = text.regex(/^[a-z][a-z0-9-]*$/i, {
  error: 'expected an agent\'s name: letters, digits and "-", a letter first',
})

const uniqueNames = (items: readonly { readonly name?: unknown }[], context: z.RefinementCtx): void => {
  const taken = new Set<string>()
  items.forEach((item, index) => {
    const name = item?.name
    if (typeof name !== 'string') return
    const message = `the name "${name}" is taken by an earlier entry`
    if (taken.has(name)) context.addIssue({ code: 'custom', path: [index, 'name'], message })
    taken.add(name)
  })
}
/** Names are compared even when an entry has other faults, so that all problems are told at once. */
const always = { when: ({ value }: { readonly value: unknown }) => Array.isArray(value) }

const Command = z.strictObject({
  name: text.describe('What reports and prompts call it.'),
  run: text.describe('The command line, run by a shell at the root of the tree.'),
  timeout: timeout.optional().describe('Longer than this is `not_evaluated` (5m).'),
  paths: z.array(path).optional().describe('Run it only for patches that touch one of these globs.'),
})

const Scanner = z.strictObject({
  name: text.describe('The source that its findings name.'),
  run: text.describe('A command line that prints a report on stdout.'),
  format: ReportFormat.optional().describe("The report's format; detected when it is not given."),
  map: text
    .optional()
    .describe(
      'Where findings are in JSON of no known format: `list=results,file=path,line=line,message=text`.',
    ),
  timeout: timeout.optional().describe('Longer than this and the scanner failed (5m).'),
})

/** An agent and how to call it; the same keys for roles, fallbacks and named agents. */
const agentShape = {
  use: agentName.describe('A built-in agent, or the name of an agent that is defined beside the roles.'),
  run: text
    .optional()
    .describe('`command`, `acp`: the program to start. `replay`: the folder of the recorded run.'),
  model: text.optional().describe("The model, in the agent's own words."),
  thinking_budget: count(0).optional().describe('Tokens it may think with.'),
  max_turns: count(1).optional().describe('`claude`, `gemini`: calls of the model in one run.'),
  permissions: z
    .enum(['role', 'bypass'])
    .optional()
    .describe('`bypass` lets a CLI do whatever it likes; `role` (the default) what its role needs.'),
  home: text
    .refine((written) => /^(\/|~\/)/.test(written), {
      error: 'expected an absolute path, or one that begins with ~/',
    })
    .optional()
    .describe("A CLI's configuration folder, with a login of its own; yours when it is not given."),
  env: z
    .array(text.regex(/^[A-Za-z_]\w*$/, { error: 'expected the name of a variable' }))
    .optional()
    .describe('Variables of yours that it may see, besides the usual ones.'),
  args: z.array(text).optional().describe('More arguments for a CLI.'),
  timeout: timeout.optional().describe('One run takes no longer (fixer 15m, challenger 2m, others 15m).'),
}
export const WrittenAgent = z.strictObject(agentShape)
export type WrittenAgent = z.infer<typeof WrittenAgent>

const AgentOrName = z.union([agentName, WrittenAgent])
export const WrittenRole = z.union([
  agentName,
  z.strictObject({
    ...agentShape,
    fallback: z.array(AgentOrName).optional().describe('Who is asked next when this one gives no answer.'),
  }),
])
export type WrittenRole = z.infer<typeof WrittenRole>

const Verify = z.strictObject({
  commands: z
    .array(Command)
    .superRefine(uniqueNames, always)
    .optional()
    .describe('The commands that must be green before anything lands. Without any, nothing can be proven.'),
})

const WorkspaceSettings = z.strictObject({
  setup: text.optional().describe('Run once per lock-file content, to make what git ignores.'),
  share: z.array(sharedPath).optional().describe('Ignored paths that workspaces get as copies.'),
  path: path.optional().describe('Fixes stay under this folder; the whole repository when it is not given.'),
  allowed_extra_paths: z
    .array(path)
    .optional()
    .describe('Folders outside of `workspace.path` that fixes may touch too.'),
})

const Classes = z.strictObject({
  BE: z.array(path).optional().describe('Globs of back-end files; paths decide before extensions.'),
  FE: z.array(path).optional().describe('Globs of front-end files.'),
  GEN: z.array(path).optional().describe('Globs of files that are neither.'),
})

export const roleNames = ['fixer', 'challenger', 'reviewers', 'clarifier', 'planner'] as const

const Agents = z
  .object({
    fixer: WrittenRole.optional().describe('Changes the code.'),
    challenger: WrittenRole.optional().describe('Scores each patch, without knowing its story.'),
    reviewers: z
      .array(WrittenRole)
      .optional()
      .describe('Read the code and report findings, each on its own.'),
    clarifier: WrittenRole.optional().describe(
      'Asks questions before fixing; the fixer when it is not given.',
    ),
    planner: WrittenRole.optional().describe('Writes the approach; the fixer when it is not given.'),
  })
  .catchall(WrittenAgent)

const Fix = z.strictObject({
  strategy: z
    .enum(['isolated', 'sequential', 'single-call'])
    .optional()
    .describe('One agent per issue, one per batch, or one for all.'),
  max_rounds: count(0).optional().describe('Rounds per issue before it is given up; 0 fixes nothing.'),
  concurrency: count(1).max(64).optional().describe('Attempts that run at the same time.'),
  budget_usd: money.optional().describe('A session stops, resumable, when it has cost this much.'),
  issue_budget_usd: money.optional().describe('The same for one issue.'),
  budget_tokens: count(1).optional().describe('As budget_usd, in tokens.'),
  issue_budget_tokens: count(1).optional().describe('As issue_budget_usd, in tokens.'),
  max_batch_points: count(1).optional().describe('Effort × files that one batch may hold.'),
  max_batch_issues: count(1).optional().describe('Issues that one batch may hold.'),
  max_session_tokens: count(1).optional().describe('A conversation above this is compacted first.'),
  clarify: z
    .enum(['ask', 'assume', 'off'])
    .optional()
    .describe('Let the fixer ask before it begins, write down what it assumes, or neither.'),
  unattended: z
    .enum(['hold', 'reject'])
    .optional()
    .describe('What happens to what only a person may approve when nobody is there.'),
  assisted_by: z.boolean().optional().describe('Name the agent in an `Assisted-by:` trailer.'),
})

const Price = z.strictObject({
  input_usd: money.describe('Per million tokens read.'),
  cached_input_usd: money
    .optional()
    .describe('Per million tokens read from a cache; as `input_usd` when not given.'),
  output_usd: money.describe('Per million tokens written.'),
})

/** What a person types in `fixpoint.yaml`: everything is optional, nothing unknown is accepted. */
export const WrittenConfig = z.strictObject({
  verify: Verify.optional(),
  workspace: WorkspaceSettings.optional(),
  classes: Classes.optional(),
  agents: Agents.optional(),
  fix: Fix.optional(),
  tamper: z
    .strictObject({
      protected: z.array(path).optional().describe('Globs of files to guard, beside the built-in list.'),
    })
    .optional(),
  conventions: z.array(path).optional().describe('Files that fixers read, beside `AGENTS.md` and the like.'),
  evidence: z
    .strictObject({
      reproduce: z.boolean().optional().describe('Ask for a test that fails without the fix (grade E3).'),
    })
    .optional(),
  review: z
    .strictObject({
      scanners: z
        .array(Scanner)
        .superRefine(uniqueNames, always)
        .optional()
        .describe('Tools to run in a review, and again on a fix of what they found.'),
      rules: z.array(path).optional().describe('Rule files of your own for the built-in reviewer.'),
    })
    .optional(),
  artifacts: z
    .strictObject({
      url: text
        .regex(/^(folder$|s3:\/\/.|https?:\/\/.)/, {
          error: 'expected "folder" or the address of a bucket (s3://…)',
        })
        .optional()
        .describe('Where prompts, transcripts and patches are kept: `folder`, or a bucket.'),
      retention: duration.optional().describe('They are deleted after this time.'),
    })
    .optional(),
  prices: z.record(text, Price).optional().describe('Per model, for agents that report tokens but no cost.'),
  challenge: z
    .strictObject({
      enabled: z.boolean().optional().describe('Whether an independent agent scores each patch.'),
      threshold: z.number().min(0).max(100).optional().describe('The least score that is accepted.'),
    })
    .optional(),
  land: z
    .strictObject({
      min_evidence: EvidenceGrade.optional().describe(
        'The least grade that lands; `E0` lands unverified fixes.',
      ),
    })
    .optional(),
  sandbox: Sandbox.optional().describe(
    'The jail around agents and commands; a repository can only tighten it.',
  ),
})
export type WrittenConfig = z.infer<typeof WrittenConfig>

/** The lowest layer: what holds when nobody says anything. */
export const defaultConfig: WrittenConfig = {
  verify: { commands: [] },
  workspace: { share: [], allowed_extra_paths: [] },
  classes: { BE: [], FE: [], GEN: [] },
  agents: { fixer: 'rules', challenger: 'rules', reviewers: ['rules'] } as NonNullable<
    WrittenConfig['agents']
  >,
  fix: {
    strategy: 'isolated',
    max_rounds: 3,
    concurrency: 4,
    max_batch_points: 15,
    max_batch_issues: 5,
    max_session_tokens: 150_000,
    clarify: 'off',
    unattended: 'hold',
    assisted_by: true,
  },
  tamper: { protected: [] },
  conventions: [],
  evidence: { reproduce: false },
  review: { scanners: [], rules: [] },
  artifacts: { url: 'folder', retention: '10d' },
  prices: {},
  challenge: { enabled: true, threshold: 90 },
  land: { min_evidence: 'E1' },
  sandbox: 'auto',
}
