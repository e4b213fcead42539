import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The licences of the packages that these files belong to: a bundle that holds their code carries them. */
export async function formatNotices(root: string, files: readonly string[]): Promise<string> {
  const folders = files.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[0] ?? [])
  const notices = await Promise.all(
    [...new Set(folders)].toSorted().map((folder) => readNotice(root, folder)),
  )
  return notices.join('\n')
}

async function readNotice(root: string, folder: string): Promise<string> {
  const name = folder.replace(/.*node_modules\//, '')
  const license = (await readdir(join(root, folder))).find((file) => /^licen[cs]e/i.test(file))
  const text = license
    ? await readFile(join(root, folder, license), 'utf8')
    : await describeLicense(root, folder)
  return `${name}\n\n${text}`
}

/** Some packages name their licence without its text. */
async function describeLicense(root: string, folder: string): Promise<string> {
  const text = await readFile(join(root, folder, 'package.json'), 'utf8')
  const { license, author } = JSON.parse(text) as { license?: string; author?: string | { name: string } }
  if (!license) throw new Error(`${folder} is bundled but names no licence`)
  const by = typeof author === 'object' ? author.name : author
  return `Licence: ${license}${by ? `, by ${by}` : ''}\n`
}
