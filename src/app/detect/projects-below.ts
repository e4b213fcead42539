import type { Checkout } from './checkout.ts'

/** A toolchain by its name, as one is told from another. */
export type Ecosystem = 'javascript' | 'python' | 'go' | 'rust' | 'java'

export interface ProjectBelow {
  readonly folder: string
  readonly ecosystem: Ecosystem
}

const manifests: Readonly<Record<Ecosystem, RegExp>> = {
  javascript: /^package\.json$/,
  python: /^(pyproject\.toml|setup\.cfg|setup\.py|requirements\.txt|Pipfile)$/,
  go: /^go\.(mod|work)$/,
  rust: /^Cargo\.toml$/,
  java: /^(pom\.xml|(build|settings)\.gradle(\.kts)?)$/,
}
const locks: Readonly<Record<Ecosystem, RegExp>> = {
  javascript: /^(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?)$/,
  python: /^(uv\.lock|poetry\.lock|pdm\.lock|Pipfile\.lock|requirements\.txt)$/,
  go: /^go\.sum$/,
  rust: /^Cargo\.lock$/,
  java: /^(mvnw|gradlew)$/,
}
/** Folders whose projects are not what the repository is about. */
const aside =
  /^(examples?|samples?|demos?|docs?|fixtures?|testdata|tests?|__tests__|e2e|bench(marks?)?|fuzz|templates?|third[_-]party)$/

/**
 * Projects one or two folders below the root that no command of the root covers: of a toolchain that the root does not
 * have, or with a lock file of their own. A folder below such a project belongs to it.
 */
export function projectsBelow(
  { files }: Pick<Checkout, 'files'>,
  atRoot: ReadonlySet<Ecosystem>,
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
    for (const ecosystem of Object.keys(manifests) as Ecosystem[]) {
      const has = (pattern: RegExp): boolean => names.some((name) => pattern.test(name))
      const isCovered = found.some(
        (one) => one.ecosystem === ecosystem && folder.startsWith(`${one.folder}/`),
      )
      if (!has(manifests[ecosystem]) || isCovered) continue
      if (!atRoot.has(ecosystem) || has(locks[ecosystem])) found.push({ folder, ecosystem })
    }
  }
  return found
}
