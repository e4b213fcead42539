import { createHash } from 'node:crypto'
import type { TreeId } from '../../../model/id.ts'
import { splitNul } from '../git/names.ts'
import type { GitRepository } from '../repository/open-repository.ts'

const LOCK_FILE =
  /^(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|deno\.lock|(dev-)?requirements.*\.txt|poetry\.lock|Pipfile\.lock|pdm\.lock|uv\.lock|Cargo\.lock|go\.sum|Gemfile\.lock|composer\.lock|mix\.lock|pubspec\.lock|gradle\.lockfile|packages\.lock\.json)$/
const MAX_DEPTH = 2

/** Names what a setup command makes: the same command on the same lock files makes the same. */
export async function setupKeyOf(
  { owned, key }: GitRepository,
  tree: TreeId,
  command: string,
): Promise<string> {
  const { stdout } = await owned.run(['ls-tree', '-r', '-z', tree])
  const locks = splitNul(stdout)
    .map((line) => line.toString('latin1'))
    .filter((line) => isLockFile(line.slice(line.indexOf('\t') + 1)))
  const hash = createHash('sha256').update(
    JSON.stringify([key, process.platform, process.arch, command, locks]),
  )
  return hash.digest('hex').slice(0, 32)
}

function isLockFile(path: string): boolean {
  const parts = path.split('/')
  return parts.length <= MAX_DEPTH + 1 && LOCK_FILE.test(parts.at(-1) ?? '')
}
