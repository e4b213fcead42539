import { z } from 'zod'
import type { ModelPrice } from '../agent/price.ts'
import { EvidenceGrade } from '../proof/evidence.ts'
import { Severity } from '../issue/severity.ts'
import { VerifyStrategy, type CheckCommand } from '../proof/verification.ts'
import {
  bareWord,
  defaultsOf,
  durationSetting,
  millisecondsOf,
  optionalSetting,
  resolvedSetting,
  setting,
  settingsIn,
  shapeOf,
} from './setting.ts'
import { operatorSettings } from './operator-settings.ts'
import { always, count, host, money, path, sharedPath, text, timeout, uniqueNames } from './values.ts'
import { builtInAgent, Sandbox, WrittenAgents } from './written.ts'

const Command = z.strictObject({
  name: text.describe('What reports and prompts call it.'),
  run: text.describe('The command line, run by a shell at the root of the tree.'),
  timeout: timeout.optional().describe('Longer than this is `not_evaluated` (5m).'),
  paths: z.array(path).optional().describe('Run it only for patches that touch one of these globs.'),
  network: z
    .boolean()
    .optional()
    .describe('In the jail it reaches nothing but itself; `true` opens the network.'),
  jail: z.boolean().optional().describe("`false` runs it outside of the jail, as for Docker's socket."),
})

/** The name of a report's format; the readers of reports know which names there are. */
export const ReportFormatName = text.clone()

const Scanner = z.strictObject({
  name: text.describe('The source that its findings name.'),
  run: text.describe('A command line that prints a report on stdout.'),
  format: ReportFormatName.optional().describe("The report's format; detected when it is not given."),
  map: text
    .optional()
    .describe(
      'Where findings are in JSON of no known format: `list=results,file=path,line=line,message=text`.',
    ),
  timeout: timeout.optional().describe('Longer than this and the scanner failed (5m).'),
  network: z
    .boolean()
    .optional()
    .describe('In the jail it reaches nothing but itself; `true` opens the network.'),
})

const Price = z.strictObject({
  input_usd: money.describe('Per million tokens read.'),
  cached_input_usd: money
    .optional()
    .describe('Per million tokens read from a cache; as `input_usd` when not given.'),
  output_usd: money.describe('Per million tokens written.'),
})

/** What a rule of the built-in reviewer counts for. */
export const RuleLevel = z.enum(['off', 'critical', 'major', 'minor', 'info'])
export type RuleLevel = z.infer<typeof RuleLevel>

/** The level of a rule: by its own id, else by the longest `eslint/*` that it is one of; undefined where none is set. */
export function ruleLevel(levels: Readonly<Record<string, RuleLevel>>, id: string): RuleLevel | undefined {
  const groups = Object.keys(levels).filter((key) => key.endsWith('*') && id.startsWith(key.slice(0, -1)))
  const [group = id] = groups.toSorted((a, b) => b.length - a.length)
  return levels[id] ?? levels[group]
}

/** One tool that a review runs; a format of null is detected. */
export interface ScannerConfig {
  readonly name: string
  readonly run: string
  readonly format: string | null
  readonly map: string | null
  readonly timeout_ms: number
  readonly network: boolean
}

const commandTimeout = '5m'

const resolveCommand = ({
  timeout: limit,
  paths = [],
  ...command
}: z.infer<typeof Command>): CheckCommand => ({
  ...command,
  paths: paths.map(tidyPath),
  timeout_ms: millisecondsOf(limit, commandTimeout),
})

const resolveScanner = ({
  timeout: limit,
  format,
  map,
  network = false,
  ...scanner
}: z.infer<typeof Scanner>): ScannerConfig => ({
  ...scanner,
  network,
  format: format ?? null,
  map: map ?? null,
  timeout_ms: millisecondsOf(limit, commandTimeout),
})

/** `./packages/a/` → `packages/a`: one way to write a path. */
const tidyPath = (written: string): string =>
  written.replace(/^(\.\/+)+/, '').replace(/(?<=[^/])\/+$/, '') || '.'

const tidyPaths = (written: readonly string[] = []): readonly string[] => written.map(tidyPath)

/** A list of globs or files, empty when nobody gives it. */
const paths = (meaning: string) => setting(z.array(path), { meaning, otherwise: [] })

/**
 * Every setting there is. The variables of the environment, the flags, `fixpoint config`, the reference and the JSON
 * Schema come from this tree: a new setting is an entry here, and whoever reads it.
 */
export const settings = {
  verify: {
    strategy: setting(VerifyStrategy, {
      meaning:
        'Which tests an attempt runs: those that its change reaches, all of them (`each`), or none (`together`). What lands has passed all of them in any case.',
      otherwise: 'affected',
    }),
    concurrency: setting(count(1).max(64), {
      meaning:
        'Trees that are checked at the same time. Where one is free while a train is checked, the next train is checked on top of it; with 1 that never happens.',
      otherwise: 8,
    }),
    commands: resolvedSetting(z.array(Command).superRefine(uniqueNames, always), {
      meaning: 'The commands that must be green before anything lands. Without any, nothing can be proven.',
      otherwise: [],
      resolve: (written = []): readonly CheckCommand[] => written.map(resolveCommand),
    }),
  },
  workspace: {
    setup: optionalSetting(text, { meaning: 'Run once per lock-file content, to make what git ignores.' }),
    share: resolvedSetting(z.array(sharedPath), {
      meaning: 'Ignored paths that workspaces get as copies.',
      otherwise: [],
      resolve: tidyPaths,
    }),
    path: resolvedSetting(path, {
      meaning: 'Fixes stay under this folder; the whole repository when it is not given.',
      flag: '--workspace',
      resolve: (written): string | null => (written === undefined ? null : tidyPath(written)),
    }),
    allowed_extra_paths: resolvedSetting(z.array(path), {
      meaning: 'Folders outside of `workspace.path` that fixes may touch too.',
      flag: '--allow',
      otherwise: [],
      resolve: tidyPaths,
    }),
  },
  classes: {
    BE: paths('Globs of back-end files; paths decide before extensions.'),
    FE: paths('Globs of front-end files.'),
    GEN: paths('Globs of files that are neither.'),
  },
  agents: setting(WrittenAgents, {
    meaning: '',
    otherwise: {
      fixer: builtInAgent,
      challenger: builtInAgent,
      reviewers: [builtInAgent],
    } as z.infer<typeof WrittenAgents>,
    flagsWithin: { fixer: '--fixer', challenger: '--challenger' },
  }),
  fix: {
    strategy: setting(z.enum(['isolated', 'sequential', 'single-call']), {
      meaning: 'One agent per issue, one per batch, or one for all.',
      otherwise: 'isolated',
      flag: '--strategy',
    }),
    max_rounds: setting(count(0), {
      meaning: 'Rounds per issue before it is given up; 0 fixes nothing.',
      otherwise: 3,
      flag: '--max-fix-cycles',
    }),
    concurrency: setting(count(1).max(64), {
      meaning: 'Attempts that run at the same time.',
      otherwise: 4,
      flag: '--concurrency',
    }),
    budget_usd: optionalSetting(money, {
      meaning: 'A session stops, resumable, when it has cost this much.',
      flag: '--budget',
    }),
    issue_budget_usd: optionalSetting(money, { meaning: 'The same for one issue.' }),
    budget_tokens: optionalSetting(count(1), { meaning: 'As budget_usd, in tokens.' }),
    issue_budget_tokens: optionalSetting(count(1), { meaning: 'As issue_budget_usd, in tokens.' }),
    patience: durationSetting({
      meaning:
        'How long to wait for a provider that is overloaded or limits the rate, before the fallback runs or the session rests (exit 75).',
      otherwise: '2m',
    }),
    max_batch_points: setting(count(1), {
      meaning: 'Effort × files that one batch may hold.',
      otherwise: 15,
    }),
    max_batch_issues: setting(count(1), { meaning: 'Issues that one batch may hold.', otherwise: 5 }),
    max_session_tokens: setting(count(1), {
      meaning: 'A conversation above this is compacted first.',
      otherwise: 150_000,
    }),
    clarify: setting(z.enum(['ask', 'assume', 'off']), {
      meaning: 'Let the fixer ask before it begins, write down what it assumes, or neither.',
      otherwise: 'off',
      flag: '--clarify',
    }),
    scope: setting(z.enum(['related', 'repository']), {
      meaning:
        'Without `workspace.path`: fixes stay in files that import the cited one or are imported by it, or may touch everything.',
      otherwise: 'related',
    }),
    unattended: setting(z.enum(['hold', 'reject']), {
      meaning: 'What happens to what only a person may approve when nobody is there.',
      otherwise: 'hold',
    }),
    assisted_by: setting(z.boolean(), {
      meaning: 'Name the agent in an `Assisted-by:` trailer.',
      otherwise: true,
    }),
  },
  tamper: { protected: paths('Globs of files to guard, beside the built-in list.') },
  conventions: paths('Files that fixers read, beside `AGENTS.md` and the like.'),
  evidence: {
    reproduce: setting(z.literal(['auto', true, false]), {
      meaning:
        'Let the reproducer write a test of the problem that the fixer never sees (grade E4): for critical and major issues where that is possible, for all of them, or for none. With `true` a fix without such a test is `not_evaluated`.',
      otherwise: 'auto',
    }),
  },
  review: {
    scanners: resolvedSetting(z.array(Scanner).superRefine(uniqueNames, always), {
      meaning: 'Tools to run in a review, and again on a fix of what they found.',
      otherwise: [],
      resolve: (written = []): readonly ScannerConfig[] => written.map(resolveScanner),
    }),
    rules: setting(z.union([z.record(text, RuleLevel), z.array(path)]), {
      meaning:
        'Switches built-in rules `off` or sets their severity, by id: `{ eslint/no-debugger: off }`; `ruff/*` means all that begin so. A list is read as `rule_files`.',
      otherwise: {},
    }),
    rule_files: paths('Files of ast-grep rules of your own for the built-in reviewer.'),
    exclude: paths('Globs of files that the built-in reviewer leaves out.'),
  },
  github: {
    repository: optionalSetting(text.regex(/^[\w.-]+\/[\w.-]+$/, { error: 'expected owner/name' }), {
      meaning: 'The repository on GitHub, as `owner/name`; read from the remote when it is not given.',
    }),
    api_url: optionalSetting(
      z.url({ protocol: /^https?$/, error: 'expected an address that begins with https://' }),
      {
        meaning: 'The API of a GitHub Enterprise server, such as `https://github.example.com/api/v3`.',
      },
    ),
    app: {
      id: optionalSetting(z.number().int().positive(), {
        meaning: 'The number of a GitHub App, which acts instead of a token.',
        isPersonal: true,
      }),
      private_key_file: optionalSetting(text, {
        meaning: "The file with the App's private key (PEM), from the root on.",
        isPersonal: true,
      }),
      webhook_secret: optionalSetting(text.min(16, { error: 'expected at least 16 characters' }), {
        meaning: 'What GitHub signs its webhooks with; `fixpoint serve` takes none without it.',
        isPersonal: true,
        isSecret: true,
      }),
    },
    remote: setting(text, { meaning: 'The git remote that branches are pushed to.', otherwise: 'origin' }),
    review: {
      threshold: setting(z.number().min(0).max(100), {
        meaning: 'The least average of all votes that approves a pull request.',
        otherwise: 80,
      }),
    },
    pull_request: {
      draft: setting(z.boolean(), { meaning: 'Open pull requests as drafts.', otherwise: true }),
      labels: setting(z.array(text), { meaning: 'Labels of pull requests.', otherwise: ['fixpoint'] }),
    },
    leftovers: {
      publish: setting(z.enum(['manual', 'auto']), {
        meaning: 'Whether issues that stay unresolved become GitHub issues on request, or with `pr create`.',
        otherwise: 'manual',
      }),
      severity: setting(z.array(Severity), {
        meaning: 'Only issues of these severities are published.',
        otherwise: ['critical', 'major'],
      }),
      labels: setting(z.array(text), {
        meaning: 'Labels of published issues, beside the severity.',
        otherwise: ['tech-debt'],
      }),
    },
  },
  artifacts: {
    url: setting(text.regex(/^(?:folder$|s3:\/\/.)/, { error: 'expected "folder" or s3://bucket/prefix' }), {
      meaning:
        "Where prompts, transcripts and patches are kept: a `folder` of Fixpoint's home, or a bucket, `s3://bucket/prefix?region=…&endpoint=…`.",
      otherwise: 'folder',
      isPersonal: true,
    }),
    retention: durationSetting({
      meaning: 'Artifacts are deleted after this time, unless something still needs them.',
      otherwise: '10d',
    }),
  },
  prices: resolvedSetting(z.record(text, Price), {
    meaning: 'Per model, for agents that report tokens but no cost.',
    otherwise: {},
    resolve: (written = {}): Readonly<Record<string, ModelPrice>> =>
      Object.fromEntries(
        Object.entries(written).map(([model, price]) => [
          model,
          { ...price, cached_input_usd: price.cached_input_usd ?? price.input_usd },
        ]),
      ),
  }),
  challenge: {
    enabled: setting(z.boolean(), {
      meaning: 'Whether an independent agent scores each patch.',
      otherwise: true,
    }),
    threshold: setting(z.number().min(0).max(100), {
      meaning: 'The least score that is accepted.',
      otherwise: 90,
      flag: '--threshold',
    }),
  },
  land: {
    min_evidence: setting(EvidenceGrade, {
      meaning: 'The least grade that lands; `E0` lands unverified fixes.',
      otherwise: 'E1',
    }),
  },
  sandbox: {
    [bareWord]: 'mode',
    mode: setting(Sandbox, {
      meaning:
        'The jail around agents and commands: where there can be one, always, or never. `sandbox: required` is short for it; a repository can only tighten it.',
      otherwise: 'auto',
      loosestFirst: Sandbox.options,
    }),
    allow_hosts: setting(z.array(host), {
      meaning:
        'Hosts that agents in the jail may reach besides their model: `example.com`, `localhost:8080`.',
      otherwise: [],
    }),
  },
  ...operatorSettings,
} as const

/** What a person types in `fixpoint.yaml`: everything is optional, nothing unknown is accepted. */
export const WrittenConfig = z.strictObject(shapeOf(settings))
export type WrittenConfig = z.infer<typeof WrittenConfig>

/** The lowest layer: the values when nobody sets anything. */
export const defaultConfig: WrittenConfig = defaultsOf(settings)

/** The flags of the command line that are settings by another name. */
export const settingFlags: readonly { readonly flag: string; readonly key: string }[] = settingsIn(
  settings,
).flatMap(({ path: at, setting: { flag, flagsWithin = {} } }) => [
  ...(flag === undefined ? [] : [{ flag, key: at.join('.') }]),
  ...Object.entries(flagsWithin).map(([inner, name]) => ({ flag: name, key: [...at, inner].join('.') })),
])
