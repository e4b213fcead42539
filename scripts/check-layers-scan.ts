import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { LAYERS, RESERVED, type Layer } from './check-layers-rules.ts'

interface Import {
  readonly line: number
  /** The imported module, or null where it is computed at run time. */
  readonly specifier: string | null
}

const STATEMENT = /^[ \t]*(?:import|export)\b[^'"`;]*?\bfrom\s*(['"])(.+?)\1/gm
const BARE_STATEMENT = /^[ \t]*import\s*(['"])(.+?)\1/gm
const CALL = /\b(?:import|require|getBuiltinModule)\s*\(\s*(?:(['"])(.+?)\1|(?=[^'"\s)]))/g
const COMMENT = /^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gm

/** The public entries of the package; nothing inside imports them. */
const ENTRIES = ['src/index.ts', 'src/model.ts']

/** Each import of a file that its layer forbids, as `file:line reason`. Paths are relative to the repository, with `/`. */
export function findBreaches(file: string, text: string): readonly string[] {
  const layer = layerOf(file)
  if (!layer) return [`${file}:1 no layer holds this file`]
  return findImports(text).flatMap(({ line, specifier }) => {
    const reason = judgeImport(layer, file, specifier)
    return reason === null ? [] : [`${file}:${line} ${reason}`]
  })
}

/** The files of this repository that a file imports. */
export const importedFiles = (file: string, text: string): readonly string[] =>
  findImports(text).flatMap(({ specifier }) =>
    specifier?.startsWith('.') ? [posix.join(posix.dirname(file), specifier)] : [],
  )

/** Every import of a file, found without parsing it: comments are blanked, the rest is matched by shape. */
function findImports(text: string): readonly Import[] {
  const code = text.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, ' '))
  return [STATEMENT, BARE_STATEMENT, CALL]
    .flatMap((pattern) => [...code.matchAll(pattern)])
    .map((match) => ({
      line: code.slice(0, match.index + match[0].length).split('\n').length,
      specifier: match[2] ?? null,
    }))
    .toSorted((a, b) => a.line - b.line)
}

function judgeImport(layer: Layer, file: string, specifier: string | null): string | null {
  if (specifier === null) return layer.builtins ? null : `${layer.at} may import by fixed names only`
  if (specifier.startsWith('.')) return judgePath(layer, posix.join(posix.dirname(file), specifier))
  return judgeModule(layer, specifier, file)
}

function judgePath(layer: Layer, target: string): string | null {
  if (ENTRIES.includes(target)) return `${target} is for users of the library`
  if ([layer.at, ...layer.mayImport].some((place) => isIn(target, place))) return null
  return `${layer.at} may import ${list([...layer.mayImport, 'its own files'])}, not ${target}`
}

function judgeModule(layer: Layer, specifier: string, file: string): string | null {
  const isNode = isBuiltin(specifier)
  const name = isNode
    ? specifier.replace(/^(?:node:)?/, 'node:')
    : (/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier)
  const owner = RESERVED[name]
  if (owner && !isIn(file, owner)) return `only ${owner} may import ${name}`
  if (isNode) return layer.builtins ? null : `${layer.at} may import nothing of Node's, not ${name}`
  if (layer.packages.includes('*') || layer.packages.includes(name)) return null
  return `${layer.at} may import ${list(layer.packages)}, not the package ${name}`
}

/** The layer of a file, with `src/adapters/*` narrowed to the port's folder. */
function layerOf(file: string): Layer | undefined {
  for (const layer of LAYERS) {
    const at = layer.at.endsWith('/*')
      ? file.split('/').slice(0, layer.at.split('/').length).join('/')
      : layer.at
    if (isIn(file, at) && isIn(at, layer.at.replace('/*', ''))) return { ...layer, at }
  }
  return undefined
}

const isIn = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`)

const list = (names: readonly string[]): string => names.join(', ') || 'no package'
