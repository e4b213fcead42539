import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommitId } from '../../../model/id.ts'
import { readIfThere } from '../git/files.ts'
import { bytesOfName } from '../git/names.ts'
import type { GitRepository } from '../repository/open-repository.ts'
import { alternatesOf } from '../repository/owned-git-dir.ts'
import { copyIndex } from './copy-index.ts'
import type { CheckedOut } from './check-out.ts'

/** Puts a `.git` of plain files into the tree, so that git commands work there; nothing in it ever counts. */
export async function writeThrowAwayGit(
  { owned, objectDirs, objectFormat, isShallow }: GitRepository,
  layout: CheckedOut,
  { head, excluded }: { head: CommitId; excluded: readonly string[] },
): Promise<void> {
  const gitDir = join(layout.tree, '.git')
  const at = (...parts: string[]) => join(gitDir, ...parts)
  const folders = [
    at('objects', 'info'),
    at('objects', 'pack'),
    at('refs', 'heads'),
    at('refs', 'tags'),
    at('info'),
  ]
  for (const folder of folders) await mkdir(folder, { recursive: true })
  await writeFile(at('HEAD'), `${head}\n`)
  await writeFile(at('config'), configOf(objectFormat))
  await writeFile(
    at('objects', 'info', 'alternates'),
    alternatesOf([join(owned.gitDir, 'objects'), ...objectDirs]),
  )
  await copyFile(join(owned.gitDir, 'info', 'attributes'), at('info', 'attributes'))
  await writeFile(at('info', 'exclude'), await excludesOf(owned.gitDir, excluded))
  if (isShallow) await copyFile(join(owned.gitDir, 'shallow'), at('shallow'))
  await copyIndex(layout.index, at('index'))
}

/** Brings one that nobody touched up to date. */
export async function refreshThrowAwayGit(
  { tree, index }: CheckedOut,
  { head, isIndexKept }: { head: CommitId; isIndexKept: boolean },
): Promise<void> {
  await writeFile(join(tree, '.git', 'HEAD'), `${head}\n`)
  if (!isIndexKept) await copyIndex(index, join(tree, '.git', 'index'))
}

export const configOf = (objectFormat: 'sha1' | 'sha256'): string =>
  [
    '[core]',
    `\trepositoryformatversion = ${objectFormat === 'sha256' ? 1 : 0}`,
    '\tbare = false',
    '\tfilemode = true',
    ...(objectFormat === 'sha256' ? ['[extensions]', '\tobjectformat = sha256'] : []),
    '[user]',
    '\tname = Workspace',
    '\temail = workspace@localhost',
    '[commit]',
    '\tgpgsign = false',
    '[gc]',
    '\tauto = 0',
    '',
  ].join('\n')

async function excludesOf(gitDir: string, excluded: readonly string[]): Promise<Buffer> {
  const inherited = (await readIfThere(join(gitDir, 'info', 'exclude'))) ?? Buffer.alloc(0)
  const lines = excluded.map((path) => {
    const escaped = bytesOfName(path)
      .toString('latin1')
      .replace(/[\\*?[\] ]/g, '\\$&')
    return Buffer.from(`/${escaped}\n`, 'latin1')
  })
  return Buffer.concat([inherited, Buffer.from('\n'), ...lines])
}
