import type { CheckoutFiles } from '../evidence/checkout.ts'
import type { Toolchain } from '../evidence/detection.ts'
import { go } from './go.ts'
import { java } from './java.ts'
import { javascript } from './javascript/index.ts'
import { php } from './php.ts'
import { python } from './python.ts'
import { ruby } from './ruby.ts'
import { rust } from './rust.ts'

/** Every toolchain that is known. Commands stand in a configuration in this order. */
export const toolchains: readonly Toolchain[] = [javascript, python, go, rust, java, ruby, php]

export interface ProjectBelow {
  readonly folder: string
  readonly toolchain: Toolchain
}

/** Folders whose projects are not what the repository is about. */
const aside =
  /^(examples?|samples?|demos?|docs?|fixtures?|testdata|tests?|__tests__|e2e|bench(marks?)?|fuzz|templates?|third[_-]party)$/

/**
 * Projects one or two folders below the root that no command of the root covers: of a toolchain that the root does not
 * have, or with a lock file of their own. A folder below such a project belongs to it.
 */
export function projectsBelow(
  { files }: Pick<CheckoutFiles, 'files'>,
  atRoot: ReadonlySet<Toolchain>,
  packages: readonly string[],
): readonly ProjectBelow[] {
  const found: ProjectBelow[] = []
  const folders = new Map<string, string[]>()
  for (const file of files) {
    const parts = file.split('/')
    const name = parts.pop() ?? ''
    if (parts.length < 1 || parts.length > 2 || parts.some((part) => aside.test(part))) continue
    const folder = parts.join('/')
    folders.set(folder, [...(folders.get(folder) ?? []), name])
  }
  for (const [folder, names] of [...folders].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (packages.includes(folder)) continue
    for (const toolchain of toolchains) {
      const has = (pattern: RegExp): boolean => names.some((name) => pattern.test(name))
      const isCovered = found.some(
        (one) => one.toolchain === toolchain && folder.startsWith(`${one.folder}/`),
      )
      if (!has(toolchain.manifest) || isCovered) continue
      if (!atRoot.has(toolchain) || has(toolchain.lock)) found.push({ folder, toolchain })
    }
  }
  return found
}
