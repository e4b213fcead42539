import { builtinModules } from 'node:module'
import type { OnLoadResult, Plugin } from 'esbuild'

/**
 * Takes Node's own modules by `process.getBuiltinModule`, and of each only what a chunk uses: an `import` statement reads
 * every lazy property of the module (`process.stdin` opens a stream), which doubles the time `fixpoint --help` needs.
 */
export const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^(node:.*|${builtinModules.join('|')})$`)
    onResolve({ filter }, ({ path, kind }) => ({
      path: path.replace(/^(node:)?/, 'node:'),
      namespace: kind === 'require-call' ? 'builtin-cjs' : 'builtin-esm',
      sideEffects: false,
    }))
    onLoad({ filter: /./, namespace: 'builtin-cjs' }, ({ path }) => ({
      contents: `module.exports = ${take(path)}`,
    }))
    onLoad({ filter: /./, namespace: 'builtin-esm' }, ({ path }) => {
      const [module = '', name] = path.split('#')
      return name ? exportOne(module, name) : exportEach(module)
    })
  },
}

function exportOne(path: string, name: string): OnLoadResult {
  const value = `${take(path)}.${name}`
  return { contents: `export default ${isCostly(path, name) ? atFirstUse(value) : pure(value)}` }
}

/** A read of `subtle` loads all of web cryptography, which only the App of a forge needs. */
const isCostly = (path: string, name: string): boolean => path === 'node:crypto' && name === 'subtle'

/** Stands in for an object with methods until one of them is called. */
const atFirstUse = (object: string): string =>
  `/* @__PURE__ */ new Proxy({}, { get: (_, name) => { const all = ${object}; return all[name].bind(all) } })`

/** Makes one module per name, so that each lands only in the chunks that use it. */
function exportEach(path: string): OnLoadResult {
  const found = process.getBuiltinModule(path)
  if (!found) return { errors: [{ text: `Node has no module ${path}` }] }
  const names = Object.keys(found).filter((name) => /^[a-z_]\w*$/i.test(name) && name !== 'default')
  const lines = names.map((name) => `export { default as ${name} } from '${path}#${name}'`)
  return { contents: [`export default ${wholeModule(path)}`, ...lines].join('\n') }
}

/** Commander imports all of child_process at once and never calls it here, so it is loaded at the first use. */
const wholeModule = (path: string): string =>
  path === 'node:child_process'
    ? `new Proxy({}, { get: (_, name) => ${take(path)}[name] })`
    : pure(take(path))

const take = (path: string): string => `process.getBuiltinModule('${path}')`

/** This lets the bundler leave out names that nobody imports. */
const pure = (expression: string): string => `/* @__PURE__ */ (() => ${expression})()`
