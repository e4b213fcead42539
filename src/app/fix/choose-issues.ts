import type { IssuePage, IssueQuery } from '../../loop/ports.ts'
import { Fault } from '../../model/fault.ts'
import { allowedTransitions, type Issue, type IssueStatus } from '../../model/issue/issue.ts'
import type { Severity } from '../../model/issue/severity.ts'
import type { App } from '../open-app.ts'
import { createNarrowing, narrows, type Narrowing } from './narrowing.ts'

/** Which issues: these codes, or all of some statuses and severities. */
export interface IssueChoice {
  readonly codes?: readonly string[] | undefined
  readonly all?: boolean | undefined
  readonly severities?: readonly Severity[] | undefined
  /** With `all`; only open ones without it. */
  readonly statuses?: readonly IssueStatus[] | undefined
  /** Only these; without codes it means all of them that fit. */
  readonly narrowing?: Narrowing | undefined
  /** The most urgent so many. */
  readonly limit?: number | undefined
}

/** The issues that a request names, or all open ones; an unknown code is a fault that names it. */
export async function chooseIssues(app: App, choice: IssueChoice): Promise<readonly Issue[]> {
  const { codes = [], severities = [], narrowing = {}, limit } = choice
  const chosen = codes.length > 0 ? await issuesByCode(app, codes) : await allIssues(app, choice)
  const isWanted = createNarrowing(narrowing, agentNames(app))
  return chosen
    .filter(({ severity }) => severities.length === 0 || severities.includes(severity))
    .filter(isWanted)
    .slice(0, limit)
}

export const agentNames = ({ loaded }: App): ReadonlySet<string> =>
  new Set(loaded.kinds.map(({ kind }) => kind))

export async function issuesByCode(app: App, codes: readonly string[]): Promise<readonly Issue[]> {
  const wanted = [...new Set(codes.map((code) => code.toUpperCase()))]
  const found = await app.store.issues.byCode(app.repository.id, wanted)
  const missing = wanted.filter((code) => !found.some((issue) => issue.code === code))
  if (missing.length === 0) return found
  throw new Fault('not_found', `there is no issue ${missing.join(', ')} in this repository`, {
    hint: 'fixpoint issues list shows the codes.',
  })
}

async function allIssues(
  app: App,
  { all, statuses = [], severities = [], narrowing = {} }: IssueChoice,
): Promise<readonly Issue[]> {
  if (!all && !narrows(narrowing))
    throw new Fault('usage', 'say which issues', {
      hint: 'Name their codes, such as BE-001 (fixpoint issues list shows them), name a rule or a path (--rule, --path), or add --all.',
    })
  const found = await listIssues(app, {
    status: statuses.length > 0 ? statuses : ['open'],
    ...(severities.length > 0 && { severity: severities }),
  })
  const raised = found.filter(({ absent_since }) => !absent_since)
  const absent = found.length - raised.length
  if (absent > 0)
    app.say(
      `note: ${absent} left out, as what raised ${absent === 1 ? 'it' : 'them'} no longer does; named by code ${absent === 1 ? 'it is' : 'they are'} taken all the same`,
    )
  return raised
}

/** Whether a session could take it, now or when the one that holds it has ended. */
export const isFixable = ({ status }: Pick<Issue, 'status'>): boolean =>
  status === 'in_progress' || allowedTransitions(status, 'engine').includes('in_progress')

/** Which issues to list; all of them without a word. */
export type IssueSearch = Omit<IssueQuery, 'repositoryId' | 'cursor' | 'limit'>

/** Every issue of the repository that a search finds, over all pages. */
export async function listIssues({ store, repository }: App, search: IssueSearch): Promise<readonly Issue[]> {
  const issues: Issue[] = []
  let cursor: string | null = null
  do {
    const page: IssuePage = await store.issues.list({
      ...search,
      repositoryId: repository.id,
      ...(cursor !== null && { cursor }),
      limit: 500,
    })
    issues.push(...page.issues)
    cursor = page.nextCursor
  } while (cursor !== null)
  return issues
}
