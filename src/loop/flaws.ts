import type { Gate } from '../model/gate.ts'
import type { TreeId } from '../model/id.ts'
import type { Patch } from '../model/patch.ts'
import type { FileChange, PatchFlaw, PatchInspector, TamperOptions, Trees } from './ports.ts'

/** The gates that read what the patch changed, line by line: tampering first, then secrets. */
export async function flawGates(
  patch: Patch,
  options: TamperOptions,
  { trees, inspector }: { readonly trees: Trees; readonly inspector: PatchInspector },
): Promise<readonly Gate[]> {
  const changes = await readChanges(patch, trees)
  const tampering = gateOf(
    'tamper',
    await inspector.findTampering(changes, options),
    'no test, check or rule is weakened',
  )
  if (tampering.status !== 'passed') return [tampering]
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

async function readChanges({ base_tree, tree, files }: Patch, trees: Trees): Promise<readonly FileChange[]> {
  const before = await readTexts(
    trees,
    base_tree,
    files.map(({ path, old_path }) => old_path ?? path),
  )
  const after = await readTexts(
    trees,
    tree,
    files.map(({ path }) => path),
  )
  return files.map(({ path, old_path, status, binary }) => ({
    path,
    oldPath: old_path,
    status,
    before: before.get(old_path ?? path) ?? null,
    after: after.get(path) ?? null,
    isBinary: binary,
  }))
}

async function readTexts(
  trees: Trees,
  tree: TreeId,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const bytes = await trees.readMany(tree, paths)
  return new Map([...bytes].map(([path, content]) => [path, new TextDecoder().decode(content)]))
}
