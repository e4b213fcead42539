import { Readable } from 'node:stream'
import { defineOwnAgent, type OwnAgent } from '../../adapters/agents/own/index.ts'
import { withoutCheckoutPrograms } from '../../adapters/process/clean-environment.ts'
import type { WrittenConfig } from '../../model/config/settings.ts'
import type { RoleName } from '../../model/config/written.ts'
import type { FixEvent } from '../../model/session/event.ts'
import type { SessionResult } from '../../model/session/session-result.ts'
import type { CommitVerdict } from '../../model/proof/commit-verdict.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { chooseIssues, listIssues, type IssueChoice, type IssueSearch } from '../fix/choose-issues.ts'
import { cancelAnywhere } from '../fix/cancel-session.ts'
import { fixIssues, type FixRequest } from '../fix/fix-issues.ts'
import { requireTrusted } from '../fix/require-trusted.ts'
import type { TrustScope } from '../trust/trust.ts'
import { resumeSession, type ResumeOptions } from '../fix/resume-session.ts'
import { openApp, type App } from '../open-app.ts'
import { createCalls } from './calls.ts'
import { planApproach, planIssues, type PlannedWork } from '../prepare/plan-issues.ts'
import { resolveBase } from '../resolve-base.ts'
import { importFindings, type Imported } from '../review/import-findings.ts'
import { readMapping } from '../review/read-mapping.ts'
import { reviewRepository, type Reviewed } from '../review/review-repository.ts'
import type { ReviewScope } from '../review/review-scope.ts'
import { commandsOfNotes, readFixes, verifyFixes } from '../verify/verify-fixes.ts'

export interface FixpointOptions {
  /** A folder of the repository. */
  readonly cwd: string
  /** Agents of one's own, by the names under which the configuration finds them. */
  readonly agents?: Readonly<Record<string, OwnAgent>>
  /** Settings as in `fixpoint.yaml`; they count more than every file and variable. */
  readonly config?: FixpointConfig
  /** Where Fixpoint keeps its data; the folder that the command line uses when it is not given. */
  readonly home?: string
  /** The variables that Fixpoint, its agents and its checks see; those of this process when they are not given. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The commands that the repository's own `fixpoint.yaml` names may run. Otherwise a person must have trusted them. */
  readonly trust?: boolean
}

/** The settings that a file may hold, with the agents of the roles. */
export type FixpointConfig = Omit<WrittenConfig, 'agents'> & {
  readonly agents?: Pick<NonNullable<WrittenConfig['agents']>, RoleName>
}

/** A call that can be given up: what it runs is ended at once. */
export interface Abortable {
  readonly signal?: AbortSignal
}

export interface ReviewOptions extends Partial<ReviewScope>, Abortable {}

/** A report: a file, or its text. */
export type ReportOptions = ({ readonly file: string } | { readonly text: string }) & {
  /** What the report is called in messages. */
  readonly name?: string
  /** A format's name; recognised by content when it is not given. */
  readonly format?: string
  /** How to read JSON of a kind that has no reader: pairs such as `list=results,file=path`, or a file of them. */
  readonly map?: string
  /** What absolute paths in the report begin with, where it was made in another checkout. */
  readonly root?: string
}

export interface PlanOptions extends IssueChoice, Abortable {
  /** Lets the planner write down its approach to each issue first. */
  readonly approach?: boolean
  readonly notes?: string
  readonly base?: string
}

export interface FixOptions extends IssueChoice, Omit<FixRequest, 'issues' | 'attended'>, Abortable {
  /** These issues, instead of a choice. */
  readonly issues?: readonly Issue[]
}

export interface ResumeChanges extends Pick<ResumeOptions, 'budgetUsd'>, Abortable {}

/** Fixpoint for one repository. Every method that fails throws a `Fault`; how fixes end is in the results. */
export interface Fixpoint {
  /** Lets the reviewers look at the repository, and keeps what they find as issues. */
  review(options?: ReviewOptions): Promise<Reviewed>
  /** Keeps what the report of another tool says as issues. */
  importReport(options: ReportOptions): Promise<Imported>
  issues(search?: IssueSearch): Promise<readonly Issue[]>
  /** In which steps and batches the issues would be fixed, and what that may cost. */
  plan(options: PlanOptions): Promise<PlannedWork>
  /** Fixes the issues, and lands what is proven on one new branch. An aborted session can be resumed. */
  fix(options: FixOptions): Promise<SessionResult>
  resume(sessionId: string, options?: ResumeChanges): Promise<SessionResult>
  /** Ends a session for good, whichever process runs it; its issues are open again. */
  cancel(sessionId: string): Promise<SessionResult>
  /** Checks commits of Fixpoint again, from the repository alone. */
  verify(revisions: readonly string[], options?: Abortable): Promise<readonly CommitVerdict[]>
  /** Listens to the events of every session that this object runs; gives back what ends it. */
  on(listener: (event: FixEvent) => void): () => void
  /** Ends what still runs, and lets go of the store. */
  close(): Promise<void>
}

/** Opens the repository around a folder. */
export async function openFixpoint(options: FixpointOptions): Promise<Fixpoint> {
  const { cwd, agents = {}, config = {}, home, trust = false } = options
  const env = withoutCheckoutPrograms(options.env ?? process.env, cwd)
  const app = await openApp({
    cwd,
    env: home === undefined ? env : { ...env, FIXPOINT_HOME: home },
    flags: Object.entries(config).map(([key, value]) => ({ where: 'config', key, value })),
    agents: Object.entries(agents).map(([name, agent]) => defineOwnAgent(name, agent)),
  })
  return overApp(app, cwd, async (scope) => {
    if (!trust) await requireTrusted(app, scope)
  })
}

type RequireTrust = (scope?: Partial<TrustScope>) => Promise<void>

function overApp(app: App, cwd: string, requireTrust: RequireTrust): Fixpoint {
  const { call, endAll } = createCalls()
  return {
    review: ({ signal, paths = [], ...scope } = {}) =>
      call(async (ended) => {
        await requireTrust({ for: 'review', revisions: ['HEAD', scope.base ?? 'HEAD'] })
        return reviewRepository(app, { ...scope, paths }, ended)
      }, signal),
    importReport: ({ format = null, map, ...report }) =>
      call(async () => {
        const source =
          'text' in report ? { file: '-', stdin: Readable.from([report.text]) } : { stdin: process.stdin }
        const mapping = map === undefined ? undefined : await readMapping(map, cwd)
        return importFindings(app, { file: '-', ...report, ...source, format, ...(mapping && { mapping }) })
      }),
    issues: (search = {}) => call(() => listIssues(app, search)),
    plan: ({ signal, approach = false, notes = null, base, ...choice }) =>
      call(async (ended) => {
        const chosen = await chooseIssues(app, choice)
        if (!approach) return planIssues(app, chosen)
        await requireTrust()
        const request = { issues: chosen, base: await resolveBase(app, base), notes, signal: ended }
        return planIssues(app, await planApproach(app, request))
      }, signal),
    fix: ({ signal, codes, all, severities, statuses, narrowing, limit, issues, ...request }) =>
      call(async (ended) => {
        await requireTrust({ revisions: [request.base ?? 'HEAD'] })
        const choice = { codes, all, severities, statuses, narrowing, limit }
        const chosen = issues ?? (await chooseIssues(app, choice))
        const signals = { stopStarting: ended, endNow: ended }
        return (await fixIssues(app, { ...request, issues: chosen }, signals)).result
      }, signal),
    resume: (sessionId, { signal, ...changed } = {}) =>
      call(async (ended) => {
        await requireTrust()
        const options = { ...changed, stopStarting: ended, endNow: ended }
        return (await resumeSession(app, sessionId, options)).result
      }, signal),
    cancel: (sessionId) => call(async () => (await cancelAnywhere(app, sessionId)).result),
    verify: (revisions, { signal } = {}) =>
      call(async (ended) => {
        const fixes = await readFixes(app, revisions)
        await requireTrust({ revisions: ['HEAD', ...revisions], commands: commandsOfNotes(app, fixes) })
        return verifyFixes(app, { fixes, signal: ended, onVerdict: () => undefined })
      }, signal),
    on: (listener) => app.subscribe(withoutThrowing(listener)),
    close: () => endAll(() => app.close()),
  }
}

/** A listener that throws does not end a session half way: its error surfaces as an uncaught one of the program. */
const withoutThrowing =
  (listener: (event: FixEvent) => void) =>
  (event: FixEvent): void => {
    try {
      listener(event)
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
  }
