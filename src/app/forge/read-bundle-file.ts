import { readFile, stat } from 'node:fs/promises'
import { createBundles } from '../../adapters/workspaces/index.ts'
import { checkBundle, type CheckedBundle } from '../../loop/publish/check-bundle.ts'
import { Fault } from '../../model/fault.ts'
import type { App } from '../open-app.ts'
import { redactor } from '../redact/redact-exits.ts'
import type { OpenedForge } from './open-forge.ts'

const mostBytes = 100 * 1024 * 1024

/** What a bundle delivers; a fault when anything in it is not as it has to be. */
export async function readBundleFile(
  app: App,
  file: string,
  { forge, remote, base }: Pick<OpenedForge, 'forge' | 'remote'> & { readonly base: string | null },
): Promise<CheckedBundle> {
  const { trees, branches, inspector } = await app.ports()
  return checkBundle(
    await readBytes(file),
    { base },
    {
      bundles: createBundles(app.git),
      trees,
      branches,
      inspector,
      remote,
      forge,
      hasSecret: async (text) => (await redactor.text(text)) !== text,
    },
  )
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    const found = await stat(file)
    if (!found.isFile()) throw new Error('it is no file')
    if (found.size > mostBytes) throw new Error(`it has ${found.size} bytes, and ${mostBytes} are the most`)
    return await readFile(file)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Fault('input_invalid', `${file} cannot be read as a bundle: ${why}`, { cause })
  }
}
