import { randomUUID } from 'node:crypto'
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../../../model/fault.ts'
import { hasCode } from '../objects/files.ts'

/** Files of a git directory that decide what git does, and what each must hold; null for what must not be there. */
export type GitSettings = ReadonlyMap<string, Buffer | null>

/** What was at a path when it was last known to be right. */
interface Seen {
  readonly stat: string
  /** The part that stays the same when the file gets another name, as for a backup. */
  readonly written: string
  readonly content: Buffer | null
}

/**
 * Returns the check that every use of the owned git directory passes. Programs that run as the same user can write
 * there, and could make git run a filter at each checkout. Such a change is undone and reported.
 */
export function guardGitDir(gitDir: string, readSettings: () => GitSettings): () => void {
  let seen = seeAll(gitDir, readSettings())
  return () => {
    if ([...seen].every(([name, { stat }]) => statOf(join(gitDir, name)).stat === stat)) return
    const settings = readSettings()
    const changed = [...settings].filter(([name, content]) => {
      const now = see(join(gitDir, name))
      const before = seen.get(name)
      // A file that was written again with the same content held something else in between.
      const wasOther = now.written !== before?.written && isSame(before?.content ?? null, content)
      return wasOther || !isSame(now.content, content)
    })
    putBack(gitDir, settings)
    seen = seeAll(gitDir, settings)
    if (changed.length > 0) throw changedFault(gitDir, changed)
  }
}

/** Makes the directory hold these settings; gives the names of those that it did not hold. */
export function putBack(gitDir: string, settings: GitSettings): readonly string[] {
  const wrong = [...settings].filter(([name, content]) => !isSame(see(join(gitDir, name)).content, content))
  for (const [name, content] of wrong) {
    const path = join(gitDir, name)
    if (content === null || !(lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? true))
      rmSync(path, { recursive: true, force: true })
    if (content === null) continue
    const aside = `${path}.${randomUUID()}`
    writeFileSync(aside, content)
    renameSync(aside, path)
  }
  return wrong.map(([name]) => name)
}

function changedFault(gitDir: string, changed: readonly (readonly [string, Buffer | null])[]): Fault {
  const names = changed.map(([name]) => name)
  return new Fault(
    'home_unusable',
    `another program changed ${names.join(', ')} in ${gitDir}, which belongs to Fixpoint; it was put back`,
    {
      hint: 'Work that was under way may have been made with the change, so it stops here. An agent that writes outside of its workspace should not be used without a sandbox.',
      details: { folder: gitDir, changed: names },
    },
  )
}

const seeAll = (gitDir: string, settings: GitSettings): ReadonlyMap<string, Seen> =>
  new Map([...settings.keys()].map((name) => [name, see(join(gitDir, name))]))

const see = (path: string): Seen => ({ ...statOf(path), content: readPlain(path) })

function statOf(path: string): Pick<Seen, 'stat' | 'written'> {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (stat === undefined) return { stat: '', written: '' }
  const written = `${stat.dev} ${stat.ino} ${stat.mode} ${stat.size} ${stat.mtimeNs}`
  return { stat: `${written} ${stat.ctimeNs}`, written }
}

/** A folder, a link, a device or a file that may not be read holds nothing that is asked for. */
function readPlain(path: string): Buffer | null {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return null
  try {
    return stat.isFile() ? readFileSync(path) : NOT_A_FILE
  } catch (error) {
    if (hasCode(error, 'EACCES')) return NOT_A_FILE
    throw error
  }
}

const NOT_A_FILE = Buffer.from('\0')

const isSame = (a: Buffer | null, b: Buffer | null): boolean =>
  a === null || b === null ? a === b : a.equals(b)
