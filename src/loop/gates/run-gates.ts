import type { Gate } from '../../model/proof/gate.ts'
import type { AgentRun } from '../../model/agent/agent.ts'
import { isEmptyPatch, touchedPaths, type Patch, type PatchFile } from '../../model/proof/patch.ts'
import type { IssueReport } from '../../model/agent/report.ts'
import { isWithin } from '../../model/repository-path.ts'

export interface Scope {
  /** The only folder that may change, or null for the whole repository. */
  readonly path: string | null
  readonly extra: readonly string[]
  /** The finding's own file. */
  readonly file: string | null
  /** Files of the session's other issues. */
  readonly foreign: ReadonlySet<string>
  /** Files that a person let this attempt change. */
  readonly approved: ReadonlySet<string>
}

export interface Ran {
  readonly run: AgentRun
  readonly report: IssueReport | null
}

export interface Changed {
  readonly patch: Patch
  /** Nothing but white space, line ends or modes that mean nothing. */
  readonly isBlank: boolean
}

/** The gates that need nothing but the run and the patch, in order; a gate behind a closed one is not asked. */
export function runGates(ran: Ran, changed: Changed, scope: Scope): readonly Gate[] {
  const gates: Gate[] = []
  for (const gate of [
    () => ranGate(ran),
    () => changedGate(changed),
    () => scopeGate(changed.patch, scope),
  ]) {
    const result = gate()
    gates.push(result)
    if (result.status !== 'passed') break
  }
  return gates
}

function ranGate({ run, report }: Ran): Gate {
  if (run.ending.ended === 'failed')
    return { name: 'ran', status: 'failed', reason: `the agent ${run.ending.kind}: ${run.ending.message}` }
  if (!report)
    return {
      name: 'ran',
      status: 'failed',
      reason: 'the agent gave no readable report: its output ends without the JSON object that was asked for',
    }
  return { name: 'ran', status: 'passed', reason: `${run.agent} finished with a report` }
}

function changedGate({ patch, isBlank }: Changed): Gate {
  const paths = touchedPaths(patch)
  const undone = patch.undone ? `; undone: ${patch.undone.join(', ')}` : ''
  if (isEmptyPatch(patch)) {
    const reason = `no changes applied: the fix was reported, but no file changed${undone}`
    return { name: 'changed', status: 'failed', reason }
  }
  if (isBlank) {
    const reason = `no changes applied: only white space, line ends or modes differ in ${listPaths(paths)}${undone}`
    return { name: 'changed', status: 'failed', reason, paths }
  }
  const reason = `${patch.files.length} changed: ${listPaths(paths)}${undone}`
  return { name: 'changed', status: 'passed', reason }
}

/** Whether every changed file is in scope. */
export function scopeGate(patch: Patch, scope: Scope): Gate {
  const final = [
    ...patch.refused.map(({ path, reason }) => ({ path, why: reason })),
    ...patch.files.flatMap(waysOut),
  ]
  const violations = [...final, ...patch.files.flatMap((file) => violationsOf(file, scope))]
  if (violations.length === 0)
    return { name: 'scope', status: 'passed', reason: 'every changed file is in scope' }
  const said = violations.map(({ path, why }) => `${path} (${why})`)
  return {
    name: 'scope',
    status: 'failed',
    reason: `changed outside the scope of this issue: ${listPaths(said)}`,
    paths: [...new Set(violations.map(({ path }) => path))],
    ...(final.length > 0 && { is_final: true }),
  }
}

interface Violation {
  readonly path: string
  readonly why: string
}

function violationsOf(file: PatchFile, scope: Scope): readonly Violation[] {
  const paths = file.old_path ? [file.old_path, file.path] : [file.path]
  return paths.flatMap((path) => {
    if (scope.approved.has(path)) return []
    if (scope.foreign.has(path)) return [{ path, why: 'belongs to another issue of this session' }]
    if (path !== scope.file && !isInScope(path, scope))
      return [{ path, why: `not under ${scope.path ?? ''}` }]
    return []
  })
}

/** What nobody may allow: it leads out of the repository, or makes another one inside it. */
function waysOut(file: PatchFile): readonly Violation[] {
  if (file.link_target !== null && leavesRepository(file.path, file.link_target))
    return [{ path: file.path, why: `a link to ${file.link_target}, outside the repository` }]
  return file.mode === '160000' ? [{ path: file.path, why: 'a nested repository' }] : []
}

const isInScope = (path: string, scope: Scope): boolean =>
  scope.path === null || [scope.path, ...scope.extra].some((folder) => isWithin(path, folder))

/** Whether a link's target, followed from where the link stands, climbs out of the repository. */
function leavesRepository(path: string, target: string): boolean {
  if (target.startsWith('/') || /^[a-zA-Z]:/.test(target) || target.includes('\\')) return true
  let depth = path.split('/').length - 1
  for (const part of target.split('/')) {
    if (part === '..') depth -= 1
    else if (part !== '' && part !== '.') depth += 1
    if (depth < 0) return true
  }
  return false
}

/** Changed files that the finding does not name: noted for the report, not refused. */
export const filesOutsideFinding = (patch: Patch, file: string | null): readonly string[] =>
  touchedPaths(patch).filter((path) => path !== file)

const listPaths = (paths: readonly string[]): string =>
  paths.length <= 8 ? paths.join(', ') : `${paths.slice(0, 8).join(', ')} and ${paths.length - 8} more`
