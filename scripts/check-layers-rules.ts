/** The imports that the files of one layer may have besides their own folder. */
export interface Layer {
  /** Folders and files of the repository; the most specific layer that holds a file rules it. */
  readonly at: string
  readonly mayImport: readonly string[]
  /** Package names, `*` for any. */
  readonly packages: readonly string[]
  readonly builtins: boolean
}

const anything = { packages: ['*'], builtins: true }

const adapterSees = ['src/model', 'src/loop/ports.ts', 'src/adapters/process']

/** The code that all agents share; they do not import each other. */
const agentSees = ['src/adapters/agents/definition', 'src/adapters/agents/program']

/** `model ← loop ← adapters ← app ← server ← cli` and `model ← client ← {tui, web}`. */
export const LAYERS: readonly Layer[] = [
  { at: 'src/model', mayImport: [], packages: ['zod'], builtins: false },
  { at: 'src/loop', mayImport: ['src/model'], packages: ['diff', 'picomatch'], builtins: false },
  ...['definition', 'program'].map((name) => ({
    at: `src/adapters/agents/${name}`,
    mayImport: adapterSees,
    ...anything,
  })),
  { at: 'src/adapters/agents/index.ts', mayImport: [...adapterSees, 'src/adapters/agents'], ...anything },
  { at: 'src/adapters/agents/*', mayImport: [...adapterSees, ...agentSees], ...anything },
  { at: 'src/adapters/*', mayImport: adapterSees, ...anything },
  { at: 'src/app', mayImport: ['src/model', 'src/loop', 'src/adapters'], ...anything },
  { at: 'src/client', mayImport: ['src/model'], packages: [], builtins: false },
  { at: 'src/server', mayImport: ['src/model', 'src/loop', 'src/adapters', 'src/app'], ...anything },
  { at: 'src/tui', mayImport: ['src/model', 'src/client'], ...anything },
  {
    at: 'src/cli',
    mayImport: ['src/model', 'src/loop', 'src/adapters', 'src/app', 'src/client', 'src/server', 'src/tui'],
    ...anything,
  },
  {
    at: 'src/index.ts',
    mayImport: ['src/model', 'src/loop', 'src/adapters', 'src/app', 'src/client'],
    ...anything,
  },
  { at: 'src/model.ts', mayImport: ['src/model'], packages: [], builtins: false },
  { at: 'web', mayImport: ['src/model', 'src/client'], ...anything },
]

/** Modules that only one folder may import. */
export const RESERVED: Readonly<Record<string, string>> = {
  'node:child_process': 'src/adapters/process',
  execa: 'src/adapters/process',
  vitest: 'test',
  'fast-check': 'test',
}
