import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Fault } from '../../../model/fault.ts'
import { readIfThere } from '../git/files.ts'
import { bytesOfName } from '../git/names.ts'

/** The objects folder and, through its `info/alternates`, every folder it borrows from. */
export async function readObjectDirs(own: string): Promise<string[]> {
  const found = [own]
  for (const folder of found) {
    const listed = (await readIfThere(join(folder, 'info', 'alternates')))?.toString('utf8') ?? ''
    const lines = listed.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    for (const line of lines) {
      const borrowed = await existing(resolve(folder, bytesOfName(line).toString('utf8')), folder)
      if (!found.includes(borrowed)) found.push(borrowed)
    }
  }
  return found
}

async function existing(folder: string, borrower: string): Promise<string> {
  try {
    return await realpath(folder)
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
