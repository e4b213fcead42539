import { DatabaseSync } from 'node:sqlite'

/** A copy of a database as it is at this moment, whoever else is writing to it. */
export function copySqliteFile(from: string, to: string): void {
  const source = new DatabaseSync(from, { readOnly: true })
  try {
    source.prepare('vacuum into ?').run(to)
  } finally {
    source.close()
  }
}
