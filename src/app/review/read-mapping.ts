import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseMapping, type Mapping } from '../../adapters/findings/mapped/mapping.ts'
import { Fault } from '../../model/fault.ts'

/** A mapping as it was given: `key=value` pairs with commas between them, or the path of a YAML or JSON file. */
export async function readMapping(given: string, cwd: string): Promise<Mapping> {
  if (given.includes('=')) return parseMapping(given, 'the mapping')
  const text = await readFile(resolve(cwd, given), 'utf8').catch((cause: unknown) => {
    throw new Fault('usage', `the mapping ${given} cannot be read`, {
      cause,
      hint: 'Name a YAML file, or write pairs: --map "list=results,file=path,line=line,message=text".',
    })
  })
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text)
  const [error] = document.errors
  if (error) throw new Fault('usage', `${given} is no YAML: ${error.message}`)
  return parseMapping(document.toJS({ maxAliasCount: 0 }) as unknown, given)
}
