import { isNamedAsTest } from '../../model/path-kind.ts'
import type { FileChange, Tampering } from './markers/tampering.ts'
import { movesOf, quote } from './markers/tampering.ts'

/** Files that a patch brings and that importers, or a runner, take in the place of others without being changed themselves. */
export function findShadows(
  changes: readonly FileChange[],
  /** Every path of the tree before the patch. */
  existing: ReadonlySet<string>,
): readonly Tampering[] {
  const { brought, gone } = movesOf(changes, existing)
  if (brought.length === 0) return []
  const modules = new Map([...existing].flatMap((path) => (gone.has(path) ? [] : [[moduleOf(path), path]])))
  modules.delete(null)
  return brought.flatMap((path) => {
    const twin = isNamedAsTest(path) ? undefined : modules.get(moduleOf(path))
    const what = /(?:^|\/)__mocks__\//i.test(path)
      ? 'tests get this in the place of the module that it is named after'
      : twin && `whoever loads ${quote(twin)} by its name may get this instead`
    return what ? [{ path, line: null, kind: 'judge_touched' as const, what }] : []
  })
}

/** How others name a file when they leave its ending to be found out; null where nobody does. */
function moduleOf(path: string): string | null {
  const script = /^(.*?)(?:\/index)?(?<!\.d)\.[cm]?[jt]sx?$/i.exec(path)?.[1]
  if (script !== undefined) return `js ${script}`
  const python = /^(.*?)(?:\/__init__)?\.py$/.exec(path)?.[1]
  return python === undefined ? null : `py ${python}`
}
