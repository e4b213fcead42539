import type { Approval } from '../../model/attempt/attempt.ts'
import type { Gate } from '../../model/proof/gate.ts'
import type { FileChange, PatchFlaw, PatchInspector, TamperOptions, Trees } from '../ports.ts'
import { readTexts } from './read-changes.ts'

export interface FlawOptions extends TamperOptions {
  /** What a person allowed counts as the base's: only further changes are looked at. */
  readonly approved: Approval | undefined
}

/** The gates that read what the patch changed, line by line: tampering and secrets. */
export async function flawGates(
  changes: readonly FileChange[],
  options: FlawOptions,
  { trees, inspector }: { readonly trees: Trees; readonly inspector: PatchInspector },
): Promise<readonly Gate[]> {
  const allowed = await readApproved(changes, options.approved, trees)
  const tampering = gateOf(
    'tamper',
    await inspector.findTampering(allowed, options),
    'no test, check or rule is weakened',
  )
  const secrets = await inspector.findSecrets(changes)
  if ('unscanned' in secrets)
    return [tampering, { name: 'secrets', status: 'not_evaluated', reason: secrets.unscanned }]
  return [tampering, gateOf('secrets', secrets, 'no secret is added')]
}

function gateOf(name: 'tamper' | 'secrets', flaws: readonly PatchFlaw[], good: string): Gate {
  if (flaws.length === 0) return { name, status: 'passed', reason: good }
  const said = flaws.map(({ path, line, what }) => `${path}${line === null ? '' : `:${line}`} ${what}`)
  const more = said.length > shown ? `; and ${said.length - shown} more` : ''
  return {
    name,
    status: 'failed',
    reason: `${said.slice(0, shown).join('; ')}${more}`,
    paths: [...new Set(flaws.map(({ path }) => path))],
  }
}

const shown = 8

/** The changes against what a person has approved, where they have. */
async function readApproved(
  changes: readonly FileChange[],
  approved: Approval | undefined,
  trees: Trees,
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
