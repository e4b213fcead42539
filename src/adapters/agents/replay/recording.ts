import { z } from 'zod'
import { Access, AgentRun, FailureKind, Role, type AgentUpdate } from '../../../model/agent/agent.ts'

/** Characters that some file systems leave out when they compare names. */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** Whether a path stays inside the folder it is put in, and out of its `.git`, on any file system. */
export const isConfinedPath = (path: string): boolean =>
  path !== '' &&
  !path.includes('\0') &&
  path.split('/').every(isPlainName) &&
  !path.split(/[/\\]/).some(isDotGit)

const isPlainName = (name: string): boolean => name !== '' && name !== '.' && name !== '..'

/** Also `.GIT`, `.git. `, `git~1` and `.git:stream`, which are `.git` elsewhere. */
export function isDotGit(name: string): boolean {
  const folded = name.replace(ignored, '').toLowerCase()
  const plain = (folded.split(':', 1)[0] ?? '').replace(/[. ]+$/, '')
  return plain === '.git' || plain === 'git~1'
}

const RecordedPath = z.string().refine(isConfinedPath, 'the path leaves the workspace')

/** What was at the path before, as a digest; null when nothing was. */
const before = z.string().nullable()

/** Bytes as text where they are text. */
const bytes = { encoding: z.enum(['utf8', 'base64']), content: z.string() }

/** One thing that a run changed in its workspace. */
const Change = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('file'), path: RecordedPath, before, executable: z.boolean(), ...bytes }),
  z.strictObject({ kind: z.literal('link'), path: RecordedPath, before, ...bytes }),
  z.strictObject({ kind: z.literal('deleted'), path: RecordedPath, before }),
])
export type Change = z.infer<typeof Change>

const Update = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('tool'), name: z.string(), detail: z.string() }),
  z.strictObject({ type: z.literal('usage'), tokens: z.number(), cost_usd: z.number() }),
  z.strictObject({
    type: z.literal('waiting'),
    // Older recordings do not say it.
    kind: FailureKind.default('overloaded'),
    reason: z.string(),
    ms: z.number(),
  }),
  z.strictObject({ type: z.literal('refused_host'), host: z.string() }),
]) satisfies z.ZodType<AgentUpdate>

/** One run of one agent with everything it said and changed, as it is kept in a file. */
const Recording = z.strictObject({
  schema: z.literal('fixpoint.recording.v1'),
  role: Role,
  access: Access,
  round: z.number().int(),
  issues: z.array(z.strictObject({ code: z.string(), fingerprint: z.string() })).readonly(),
  agent: z.string(),
  family: z.string().nullable(),
  prompt_hash: z.string(),
  /** The folder the run was recorded in; a replay replaces it by its own. */
  workspace: z.string(),
  run: AgentRun,
  updates: z.array(Update).readonly(),
  /** How many updates were left out because there were too many: live text is lossy. */
  updates_left_out: z.number().int(),
  changes: z.array(Change).readonly(),
})
export type Recording = z.infer<typeof Recording>

/** The recording in a file's text, or why it is none. */
export function parseRecording(text: string): Recording | { readonly broken: string } {
  const parsed = Recording.safeParse(parseJson(text))
  return parsed.success ? parsed.data : { broken: z.prettifyError(parsed.error) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
