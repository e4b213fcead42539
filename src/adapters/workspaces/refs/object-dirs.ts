import { readdirSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Fault } from '../../../model/fault.ts'
import { readNowIfThere } from '../objects/files.ts'
import { bytesOfName } from '../objects/names.ts'

/** The objects folder and, through its `info/alternates`, every folder it borrows from. */
export function readObjectDirs(own: string): readonly string[] {
  const found = [own]
  for (const folder of found) {
    const listed = readNowIfThere(join(folder, 'info', 'alternates'))?.toString('utf8') ?? ''
    const lines = listed.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    for (const line of lines) {
      const borrowed = existing(resolve(folder, bytesOfName(line).toString('utf8')), folder)
      requireObjects(borrowed, folder)
      if (!found.includes(borrowed)) found.push(borrowed)
    }
  }
  return found
}

/** What git keeps among objects: their folders, packs, what is on its way, and what file systems add. */
const ofObjects = /^([0-9a-f]{2}|pack|info|tmp_\w+|tmp_objdir-.+|incoming-.+|.+\.lock|\.nfs\w+|\.DS_Store)$/

/** Programs in the jail read these folders, so no repository may name one that holds anything else, such as a home. */
export function requireObjects(folder: string, borrower: string): void {
  const other = readdirSync(folder).find((name) => !ofObjects.test(name))
  if (other === undefined) return
  throw new Fault(
    'repository_unsupported',
    `${borrower} borrows objects from ${folder}, which holds something else: ${JSON.stringify(other)}`,
    { hint: 'look at its info/alternates: only folders of git objects may stand there' },
  )
}

function existing(folder: string, borrower: string): string {
  try {
    return realpathSync(folder)
  } catch (cause) {
    throw new Fault(
      'repository_unsupported',
      `${borrower} borrows objects from ${folder}, which is not there`,
      {
        cause,
        hint: 'bring that folder back, or make a full clone',
      },
    )
  }
}
