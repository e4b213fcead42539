import { dirname } from 'node:path/posix'
import { foldersAbove } from '../../model/repository-path.ts'

const text = String.raw`"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?`
const hidden = new RegExp(`#[^\n]*|${text}`, 'g')
const name = String.raw`[\p{L}_][\p{L}\p{N}_]*`
const dotted = `${name}(?:[ \t]*\\.[ \t]*${name})*`
const statement = new RegExp(
  String.raw`(?:^|[;:])[ \t]*(?:import[ \t]+(${dotted}[^\n;]*)|from[ \t]*((?:\.[ \t]*)*)(${dotted})?[ \t]*\bimport\b[ \t]*(\([^)]*\)?|[^\n;]*))`,
  'gmu',
)
const dynamic = /\b(?:import_module|__import__|importorskip)\(\s*["']([\w.]+)["']/g

/** What Python text loads, as modules: `a.b` absolute, `.a` relative, `a.b:c` where `c` may be a module or a name in one. */
export function readPythonImports(source: string): readonly string[] {
  const joined = source.replaceAll('\\\n', ' ')
  // One blank stands for many: a pattern that allows blanks in two places would try every way to share them out.
  const code = joined
    .replaceAll(hidden, (match) => (match.startsWith('#') ? '' : '""'))
    .replaceAll(/[ \t]+/g, ' ')
  const found = new Set<string>()
  for (const [, plain, dots = '', module = '', names = ''] of code.matchAll(statement)) {
    if (plain !== undefined) namesIn(plain).forEach((each) => found.add(each))
    else {
      const from = `${dots}${module}`.replaceAll(/\s/g, '')
      if (from === '') continue
      found.add(from)
      namesIn(names).forEach((each) => found.add(`${from}:${each}`))
    }
  }
  for (const [, module = ''] of withoutComments(joined).matchAll(dynamic)) found.add(module)
  return [...found]
}

const withoutComments = (source: string): string =>
  source.replaceAll(hidden, (match) => (match.startsWith('#') || /^(?:"""|''')/.test(match) ? '' : match))

const namesIn = (list: string): readonly string[] =>
  list
    .replaceAll(/[()]/g, ' ')
    .split(',')
    .flatMap((each) => each.trim().split(/\s+as\s+/)[0] ?? [])
    .map((each) => each.replaceAll(/\s/g, ''))
    .filter((each) => each !== '' && each !== '*')

/** Folders that modules are looked for in: above the file, nearest first, then every folder that holds a package. */
export function pythonRoots(files: ReadonlySet<string>): readonly string[] {
  const packages = new Set(
    [...files].filter((file) => file.endsWith('/__init__.py')).map((file) => dirname(file)),
  )
  const roots = new Set<string>()
  for (const folder of packages) {
    const parent = dirname(folder)
    if (!packages.has(parent)) roots.add(parent === '.' ? '' : `${parent}/`)
  }
  return [...new Set(['', 'src/', 'lib/', ...roots])]
}

/** The files that one import of a Python file loads: the module, and every package on the way to it. */
export function resolvePythonImport(
  from: string,
  written: string,
  { files, roots }: { readonly files: ReadonlySet<string>; readonly roots: readonly string[] },
): readonly string[] {
  const [module = '', member] = written.split(':')
  const dots = /^\.*/.exec(module)?.[0].length ?? 0
  const parts = [...module.slice(dots).split('.'), ...(member === undefined ? [] : [member])].filter(Boolean)
  const bases = dots > 0 ? [foldersAbove(from)[dots - 1] ?? ''] : [...foldersAbove(from), ...roots]
  for (const base of bases) {
    const loaded = walk(base, parts, files)
    if (loaded.length > 0) return loaded
  }
  return []
}

function walk(base: string, parts: readonly string[], files: ReadonlySet<string>): readonly string[] {
  const loaded = [`${base}__init__.py`].filter((file) => parts.length === 0 && files.has(file))
  let folder = base
  for (const part of parts) {
    const found = [`${folder}${part}.py`, `${folder}${part}.pyi`, `${folder}${part}/__init__.py`].filter(
      (file) => files.has(file),
    )
    loaded.push(...found)
    folder = `${folder}${part}/`
  }
  return loaded
}
