import { pathKind } from '../../../model/path-kind.ts'
import { nameLanguage } from '../../../model/programming-language.ts'

const folders: readonly (readonly [names: readonly string[], what: string])[] = [
  [['bench', 'benches', 'benchmark', 'benchmarks', 'perf'], 'a benchmark'],
  [['example', 'examples', 'sample', 'samples', 'demo', 'demos', 'fixtures', '__fixtures__'], 'an example'],
  [['doc', 'docs'], 'documentation'],
  [
    ['project_template', 'project_templates', 'skeleton', 'boilerplate', 'starter', 'starters'],
    'a template of other projects',
  ],
  [['deprecated'], 'kept for those who still need it'],
  [['migrations', 'alembic'], 'a migration, which stays as it ran'],
  [['dist', 'build', 'out', 'coverage', '.next', '.nuxt'], 'built from other files'],
  [
    [
      'vendor',
      'vendors',
      'vendored',
      'third',
      'thirdparty',
      'third_party',
      'third-party',
      'external',
      'external-deps',
      'submodules',
      '_vendor',
    ],
    'the code of somebody else',
  ],
]

const isInstalled = /(?:^|\/)(?:node_modules|bower_components|\.venv|venv|__pycache__|\.tox)\//

/** Languages that the built-in rules read. */
const readLanguages = ['JavaScript', 'TypeScript', 'Python']

/** The language of a program that no built-in rule reads; null for what is no program, or is read. */
export function unreadLanguage(path: string): string | null {
  const language = nameLanguage(path)
  return language !== null && readLanguages.includes(language) ? null : language
}

/** Packages that others are installed with: three of them in one folder were copied in, with all that stands beside them. */
const copiedPackages =
  /^(?:backports|bs4|certifi|chardet|charset_normalizer|dateutil|html5lib|idna|markupsafe|pkg_resources|pytz|simplejson|six|soupsieve|typing_extensions|webencodings|zipp)(?:\.py)?$/

/** Folders that hold Python packages of somebody else. */
export function borrowedFolders(files: readonly string[]): readonly string[] {
  const packages = new Map<string, Set<string>>()
  for (const file of files.filter((path) => path.endsWith('.py'))) {
    const parts = file.split('/')
    for (const [at, part] of parts.entries()) {
      if (at === 0 || !copiedPackages.test(part)) continue
      const folder = parts.slice(0, at).join('/')
      packages.set(folder, (packages.get(folder) ?? new Set()).add(part))
    }
  }
  return [...packages].filter(([, names]) => names.size >= 3).map(([folder]) => folder)
}

/** Why a file is left out of a review that does not ask for it, in words that end "it is …"; null for the code itself. */
export function whyAside(path: string): string | null {
  if (isInstalled.test(path)) return 'an installed package'
  const kind = pathKind(path)
  if (
    kind === 'test' ||
    kind === 'snapshot' ||
    /^t\/|(?:^|\/)(?:tests?\.py|unit-?tests?\.\w+|[\w.-]*(?:[_-]tests?|[._-]test-utils?)\.[cm]?[jt]sx?)$/.test(
      path,
    )
  )
    return 'a test'
  if (/[.-]min\.[cm]?js$/i.test(path)) return 'minified'
  // A bundler names a file by its content.
  if (/[.-](?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8}\.[cm]?js$/.test(path)) return 'built from other files'
  if (/\.stories\.[a-z]+$|(?:^|\/)examples?\.[a-z]+$/i.test(path)) return 'an example'
  const parts = path.toLowerCase().split('/').slice(0, -1)
  if (/^(?:dev|dev[-_](?:utils|tools|scripts)|debug|hacking|playground|sandbox)$/.test(parts[0] ?? ''))
    return 'for trying things out'
  if (
    parts.some((part) => /(?:^|[_-])tests?$|^e2e(?:[_-]|$)|^playwright$|^unit-?tests?(?:[_-]|$)/.test(part))
  )
    return 'a test'
  if (parts.some((part) => part.startsWith('.') && part !== '.')) return 'a part of the tools around it'
  if (parts.some((part) => /[_-]examples?$|^examples?[_-]/.test(part))) return 'an example'
  if (/(?:^|\/)template\/|(?:^template|[_-]template)\.py$/i.test(path)) return 'a template of other projects'
  if (/(?:^|\/)migration\/versions\//i.test(path)) return 'a migration, which stays as it ran'
  return folders.find(([names]) => parts.some((part) => names.includes(part)))?.[1] ?? null
}
