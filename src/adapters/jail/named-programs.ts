import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Start } from '../../loop/ports.ts'

/** Whether a path is a folder or lies in it. */
export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

/** Places of a home that no command line opens. */
const closed =
  /\/\.(ssh|gnupg|aws|azure|kube|docker|netrc|git-credentials|password-store|mozilla|pki)(\/|$)|\/\.config\/(gh|gcloud|op|hub)(\/|$)|\/keyrings(\/|$)/

const absolutePath = /(?<=^|[\s"'=:(])(?:~?\/)[^\s"'`;|&<>()$*?]+/g

interface Places {
  readonly hidden: readonly string[]
  readonly homes: readonly string[]
  /** Folders that must not come into sight by binding one around them. */
  readonly avoid: readonly string[]
}

/** Only the configured command line counts: other arguments may hold prompts, in which anybody can name a path. */
const writtenBy = ({ program, args }: Start): readonly string[] =>
  program === '/bin/sh' && args[0] === '-c' ? args.slice(1, 2) : [program]

const script = /\.(?:[cm]?[jt]sx?|py|rb|pl|php|sh|bash|lua|jar|exs?|r)$/i

/** A link to a program is no use without the program. */
const withTarget = (path: string): readonly string[] =>
  existsSync(path) ? [path, realpathSync(path)] : [path]

/** A program loads files beside itself; in a folder of packages also files beside its package. */
const folderAround = (path: string): string => /^.*?\/node_modules(?=\/)/.exec(path)?.[0] ?? dirname(path)

/**
 * The programs that a command line names by an absolute path among the hidden places: the person wrote it, as in
 * `node ~/tools/agent.mjs`. A program comes with the folder around it, since it loads what lies beside it. Other files
 * that are named stay hidden.
 */
export function namedPrograms(start: Start, { hidden, homes, avoid }: Places): readonly string[] {
  const words = writtenBy(start).flatMap((word) => word.match(absolutePath) ?? [])
  const paths = words.flatMap((word) =>
    word.startsWith('~/') ? homes.map((home) => join(home, word.slice(2))) : [word],
  )
  return [...new Set(paths.flatMap(withTarget))].flatMap((path) => {
    if (!hidden.some((folder) => isInside(path, folder)) || closed.test(path)) return []
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found?.isFile() || !(script.test(path) || (found.mode & 0o111) !== 0)) return []
    const folder = folderAround(path)
    const isWide = [...avoid, ...hidden].some((other) => isInside(other, folder))
    return [isWide ? path : folder]
  })
}
