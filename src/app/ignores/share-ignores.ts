import { lstat, mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeWhole } from '../../adapters/exports/write-whole.ts'
import { Fault } from '../../model/fault.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { ignoredPath } from '../../model/issue/move-by-hand.ts'
import type { App } from '../open-app.ts'
import { redactor } from '../redact/redact-exits.ts'
import { addIgnores } from './ignored-file.ts'

/** Writes what a person ignores into the one file of the checkout that everybody has, and gives its path. */
export async function shareIgnores(
  { git }: App,
  issues: readonly Issue[],
  { reason, until }: { readonly reason: string; readonly until: string | null },
): Promise<string> {
  const file = join(git.root, ignoredPath)
  await requirePlain(dirname(file))
  await requirePlain(file)
  const { name, email } = git.identity
  const added = issues.map(({ fingerprint, code, title, file: place, rule }) =>
    redactor.value({ fingerprint, reason, who: `${name} <${email}>`, until, code, title, file: place, rule }),
  )
  const text = addIgnores(await readIfThere(file), added)
  await mkdir(dirname(file), { recursive: true })
  await writeWhole(file, text)
  return ignoredPath
}

const readIfThere = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw new Fault('input_invalid', `${file} cannot be read`, { cause: error })
  })

/** A link could lead out of the checkout, and a pipe would be waited for. */
async function requirePlain(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null)
  if (found && !found.isFile() && !found.isDirectory() && !found.isSymbolicLink())
    throw new Fault('input_invalid', `${path} is neither a file nor a folder`, {
      hint: 'Put a folder or a file there.',
    })
  if (found?.isSymbolicLink())
    throw new Fault('input_invalid', `${path} is a link, and nothing is written through links`, {
      hint: 'Put a folder or a file there.',
    })
}
