import type { AgentRun, AgentUpdate, AgentTask } from '../model/agent/agent.ts'
import type { Revision } from '../model/attempt/attempt.ts'
import type { FixEvent } from '../model/session/event.ts'
import type { WrittenFinding } from '../model/issue/finding.ts'
import type { ReviewId, SessionId, TreeId } from '../model/id.ts'
import type { Issue } from '../model/issue/issue.ts'
import type { ImportGraph, PackageRunner, PackageTree } from '../model/proof/import-graph.ts'
import type { PatchFile } from '../model/proof/patch.ts'
import type { CheckCommand, CommandRun } from '../model/proof/verification.ts'
import type { Own } from './own-text.ts'
import type { PromptTexts } from './prompt-texts.ts'

import type { Branches, Composer, Signature, Trees, UserCheckout, Workspaces } from './git-ports.ts'
import type { Jail, JailState } from './jail-port.ts'
import type { IssueStore } from './issue-ports.ts'
import type { SessionWriter } from './store-ports.ts'

export type * from './forge-port.ts'
export type * from './forge-talk-port.ts'
export type * from './git-ports.ts'
export type * from './issue-ports.ts'
export type * from './jail-port.ts'
export type * from './people-ports.ts'
export type * from './queue-port.ts'
export type * from './store-ports.ts'

/** One agent behind one name: a vendor's CLI, a program of the person's, or something built in. */
export interface Agent {
  readonly name: string
  /** Whose model it is; a fixer and a challenger of one family get a warning. Null for deterministic agents. */
  readonly family: string | null
  readonly can: AgentPowers
  run(request: AgentRequest): Promise<AgentRun>
}

/** What an agent offers beyond one prompt and one answer. */
export interface AgentPowers {
  /** Goes on with an earlier conversation. */
  readonly resume: boolean
  /** Goes on with a copy of an earlier conversation, which stays as it was. */
  readonly fork: boolean
  /** Starts sub-agents that are defined in the request. */
  readonly subagents: boolean
  /** Writes no tests, so nobody asks it to reproduce a problem. */
  readonly writesNoTests?: boolean
  /** Reads any number of files in one run. */
  readonly readsAll?: boolean
  /** A tool, which reviews the files of a tree as they are stored: nobody checks them out or writes a prompt for it. */
  readonly readsTrees?: boolean
  /** Shortens a conversation on request. */
  readonly compact: boolean
  /** Why nobody knows its cost, so that a budget in money cannot bound it; absent where the cost is known. */
  readonly costUnknown?: string
}

/** One prompt, one answer, nothing kept. */
export const noPowers: AgentPowers = { resume: false, fork: false, subagents: false, compact: false }

/** No jail, for callers that only look for programs. */
export const noJail: Jail = {
  state: { isThere: false, text: 'no jail', remedy: null },
  around: () => null,
}

/** A sub-agent that an agent may start by itself. */
export interface SubAgent {
  readonly name: string
  readonly description: string
  readonly prompt: Own
}

export interface AgentRequest {
  readonly task: AgentTask
  /** Only own text, fenced data and the person's words: nothing else has this type. */
  readonly prompt: Own
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly onUpdate: (update: AgentUpdate) => void
  /** The conversation to go on with, for an agent that can. */
  readonly conversation?: { readonly id: string; readonly fork: boolean }
  readonly subagents?: readonly SubAgent[]
  /** What this run may cost at most, for an agent that can be told. */
  readonly budgetUsd?: number
  /** The code to review, for an agent that reads trees; its task then has no workspace. */
  readonly files?: CodeFiles
}

/** The regular files of one tree. */
export interface CodeFiles {
  list(): Promise<Iterable<string>>
  /** The bytes of those of the paths that are there. */
  read(paths: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
}

/** The agents of each role, first choice first, then the fallbacks. */
export interface Agents {
  forRole(role: AgentTask['role']): readonly RoleAgent[]
}

export interface RoleAgent {
  readonly agent: Agent
  readonly timeoutMs: number
}

/** Runs the configured commands in order on exactly one tree, in a checkout of its own. */
export interface Checks {
  run(request: CheckRequest): Promise<readonly CommandRun[]>
  /** Whether another tree could be checked without anybody waiting for it; where this is not known, nothing is checked ahead. */
  hasRoom?(): boolean
  /** Tests of a command that were seen to flip on a base, here or in an earlier session; nobody knows any where this is left out. */
  flipsOf?(command: string): Promise<readonly string[]>
  noteFlips?(command: string, tests: readonly string[]): Promise<void>
}

export interface CheckRequest {
  readonly commands: readonly CheckCommand[]
  readonly revision: Revision
  readonly signal: AbortSignal
  /** A control of how steady the results are: every command runs twice, and no earlier result is believed. */
  readonly isControl?: boolean
  /** Nothing rests on these results yet: what was red earlier runs again, since what was missing then may be there now. */
  readonly isFirstLook?: boolean
  /** The caller expects red: a command that fails is not run once more. */
  readonly isRedExpected?: boolean
  /** Hears what the commands print, whole lines a few times per second; live and lossy. Nothing where a result is known. */
  readonly onOutput?: (output: CheckOutput) => void
}

export interface CheckOutput {
  /** The command's name. */
  readonly name: string
  readonly text: string
}

/** Reads which files of a tree load which, without a checkout. */
export interface Imports {
  graphOf(tree: TreeId, signal: AbortSignal): Promise<ImportGraph>
  /** The packages that this runner knows in the tree; null where nobody can tell. */
  packagesOf(tree: TreeId, runner: PackageRunner, signal: AbortSignal): Promise<PackageTree | null>
}

/** Asks the tool that raised an issue again. Null when there is no such tool any more. */
export interface Origins {
  /** All that the tool finds in the given files of the tree. */
  ask(issue: RaisedIssue, revision: Revision, where: OriginFiles): Promise<OriginAnswer | null>
}

/** As much of an issue as its tool has to know. */
export type RaisedIssue = Pick<Issue, 'rule' | 'title' | 'file' | 'flagged_by'>

export interface OriginFiles {
  readonly files: readonly string[]
  readonly signal: AbortSignal
}

export type OriginAnswer = { readonly found: readonly OriginFinding[] } | { readonly unanswered: string }

/** A finding as far as it can be found again. */
export type OriginFinding = Pick<WrittenFinding, 'rule' | 'title' | 'file' | 'line' | 'end_line' | 'column'>

/** The configured tools that print reports, each run on a checkout of exactly one tree. */
export interface Scanners {
  readonly names: readonly string[]
  /** A crash, a timeout or a report that cannot be read is `failed`, never "no findings". */
  scan(name: string, revision: Revision, signal: AbortSignal): Promise<ScannerResult>
}

export type ScannerResult =
  | {
      readonly findings: readonly WrittenFinding[]
      /** Why it may not have reported everything. */
      readonly incomplete: readonly string[]
    }
  | { readonly failed: string }

/** Looks into a patch for what would make its own proof worthless. */
export interface PatchInspector {
  /** Where the patch weakens tests, checks or rules: only a person may allow it. */
  findTampering(changes: readonly FileChange[], options: TamperOptions): Promise<readonly PatchFlaw[]>
  /** Secrets that the patch adds; `unscanned` when that could not be found out. */
  findSecrets(changes: readonly FileChange[]): Promise<readonly PatchFlaw[] | { readonly unscanned: string }>
  /** How each file differs when comments and blanks are left out, in the order of the changes. */
  compareCode(changes: readonly FileChange[]): Promise<readonly CodeDifference[]>
  /** Whether lines of a file hold nothing but comments, docstrings and blanks. */
  isRemark(path: string, text: string, lines: LineRange): Promise<boolean>
}

/** `apparently_none`: there is no parser for it, but every changed line looks like a comment or blank. */
export type CodeDifference = 'none' | 'apparently_none' | 'some'

/** Lines of a file, the first is 1. */
export interface LineRange {
  readonly first: number
  readonly last: number
}

/** Puts a mark in place of each secret, in everything that leaves this process. Doing it twice is doing it once. */
export interface Redactor {
  /** For text of any length. */
  text(text: string): Promise<string>
  /** Every text inside a value, at once; the value itself where there was nothing to replace. */
  value<Value>(value: Value): Value
  /** For JSON that we wrote: a secret never spans two of its values. */
  json(text: string): string
}

/** One file of a patch with its text on both sides; null where there is none. */
export interface FileChange {
  readonly path: string
  readonly oldPath: string | null
  readonly status: PatchFile['status']
  readonly before: string | null
  readonly after: string | null
  readonly isBinary: boolean
}

export interface TamperOptions {
  readonly protectedGlobs: readonly string[]
  /** Programs that verification commands run. */
  readonly checkFiles?: ReadonlySet<string>
  /** Every path of the tree before the patch, for names that look like one of them. */
  readonly existing?: ReadonlySet<string>
  readonly findingFile: string | null
  /** It names the package where the finding is about one. */
  readonly findingTitle?: string
}

export interface PatchFlaw {
  readonly path: string
  readonly line: number | null
  readonly what: string
  /** The title of a new test that may skip itself: it is no flaw once that test has run. */
  readonly unlessRan?: string
}

/** Results of commands by (tree, command, environment), so that no tree is verified twice. */
export interface CheckCache {
  get(key: string): Promise<CommandRun | null>
  put(key: string, run: CommandRun): Promise<void>
}

/** How long things take in a repository, learnt from how long they took. */
export interface Pace {
  /** Null where that is not known, or was never worth knowing. */
  usualMs(what: string): Promise<number | null>
  note(what: string, ms: number): Promise<void>
}

/** Prompts, transcripts, outputs and patches of a session, by name. */
export interface Artifacts {
  write(of: SessionId | ReviewId, name: string, text: string): Promise<void>
  read(of: SessionId | ReviewId, name: string): Promise<string | null>
  /** The names of all that is kept of a session or review, in order. */
  list(of: SessionId | ReviewId): Promise<readonly string[]>
}

/** All that is kept, by the session or review that it is of. */
export interface ArtifactShelf {
  owners(): Promise<readonly string[]>
  /** What all of it takes; looks at every one, so that it is not asked often. */
  bytes(): Promise<number>
  /** Deletes everything that is kept of one; doing it twice is doing it once. */
  remove(owner: string): Promise<void>
  /** Keeps bytes that no person reads, whole or not at all. */
  put(owner: string, name: string, bytes: Uint8Array): Promise<void>
  /** The content under a name, as it comes; null when there is none. */
  stream(owner: string, name: string): Promise<ReadableStream<Uint8Array> | null>
  /** An address that whoever has it may read one from, for a while; null where there is none to give. */
  link(owner: string, name: string): Promise<string | null>
  /** Throws when nothing can be kept or read here now; does not try for long. */
  reach(): Promise<void>
}

/** The prompt files that hold for a base commit: built in, the repository's, the person's own. */
export interface Prompts {
  read(base: TreeId): Promise<PromptTexts>
}

export interface Clock {
  /** Wall clock, for records only. */
  now(): number
  /** Waits about this long, never less, and no longer than until the signal. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

export interface Ids {
  next(prefix: string): string
}

/** A hash of text, in hexadecimal. */
export type Hash = (text: string) => string

/** Everything that happens in a session, as it happens: durable events and live text alike. */
export interface Publisher {
  publish(event: FixEvent): void
}

/** What the drivers need of the outside world for one repository. */
export interface Ports {
  readonly trees: Trees
  readonly composer: Composer
  readonly branches: Branches
  readonly checkout: UserCheckout
  readonly workspaces: Workspaces
  readonly agents: Agents
  readonly checks: Checks
  readonly pace: Pace
  readonly imports: Imports
  readonly scanners: Scanners
  /** Every tool that can be asked again. */
  readonly origins: readonly Origins[]
  readonly inspector: PatchInspector
  readonly issues: IssueStore
  readonly sessions: SessionWriter
  readonly artifacts: Artifacts
  readonly prompts: Prompts
  readonly clock: Clock
  readonly ids: Ids
  readonly hash: Hash
  readonly publisher: Publisher
  readonly author: Signature
  /** What stands around agents and commands, for the record. */
  readonly jail: JailState
}
