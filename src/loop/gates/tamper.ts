import type { Approval } from '../../model/attempt/attempt.ts'
import type { FileChange, PatchFlaw, Trees } from '../ports.ts'
import { findCheckFiles } from '../commands/check-files.ts'
import type { GateDefinition, GateVerdict } from './gate-definition.ts'
import { readTexts } from '../read-code.ts'

export const tamperGate: GateDefinition = {
  name: 'tamper',
  description:
    'no test weakened, no check, lock file or agent rule touched, no suppression added; else a person decides',
  asks: { whom: 'person', question: 'May this patch change what judges it?' },
  needs: 'patch',
  async judge({ changes, base, issue, limits, approved, ports: { trees, inspector } }) {
    const flaws = await inspector.findTampering(await leaveOutApproved(changes, approved, trees), {
      protectedGlobs: limits.protected,
      checkFiles: await findCheckFiles(limits.commands, base.tree, trees),
      findingFile: issue?.file ?? null,
    })
    return refuseFlaws(flaws, 'no test, check or rule is weakened')
  },
}

const shown = 8

/** The verdict on what was found in a patch, with the places; nothing found is a pass. */
export function refuseFlaws(flaws: readonly PatchFlaw[], good: string): GateVerdict {
  if (flaws.length === 0) return { status: 'passed', reason: good }
  const said = flaws.map(({ path, line, what }) => `${path}${line === null ? '' : `:${line}`} ${what}`)
  const more = said.length > shown ? `; and ${said.length - shown} more` : ''
  return {
    status: 'failed',
    reason: `${said.slice(0, shown).join('; ')}${more}`,
    paths: [...new Set(flaws.map(({ path }) => path))],
  }
}

/** The changes against what a person has approved, where they have. */
async function leaveOutApproved(
  changes: readonly FileChange[],
  approved: Approval | null,
  trees: Pick<Trees, 'readMany'>,
): Promise<readonly FileChange[]> {
  if (!approved) return changes
  const texts = await readTexts(trees, approved.tree, approved.paths)
  return changes.flatMap((change) => {
    if (!approved.paths.includes(change.path)) return [change]
    const before = texts.get(change.path) ?? null
    if (before === change.after) return []
    return [{ ...change, before, status: before === null ? change.status : ('modified' as const) }]
  })
}
