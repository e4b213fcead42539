/** A line that a shell reads, and the folder it is in then. */
export interface Line {
  readonly run: string
  readonly folder: string
}

/** The programs and scripts that one command of a line starts, as far as its words tell. */
export interface CommandCall {
  readonly folder: string
  /** Programs and the files that they are told to load, relative to the root; a path that leaves the root is left out. */
  readonly files: readonly string[]
  /** Scripts of a package.json; `*` stands for any part of a name. */
  readonly scripts: readonly string[]
  /** Those scripts are meant in packages that are chosen by name, or in all of them. */
  readonly isEverywhere: boolean
  /** Lines that stand in the words themselves, as in `sh -c '…'`. */
  readonly lines: readonly string[]
  readonly isMake: boolean
}

/** What each command of a shell line starts, followed through `cd`. */
export function readCalls({ run, folder }: Line): readonly CommandCall[] {
  let at = folder
  return commandsOf(run).map((words) => {
    if (words[0] === 'cd' && words[1] !== undefined) at = joinPath(at, words[1])
    return callOf(words, at)
  })
}

const token =
  /"((?:[^"\\]|\\[^])*)"|'([^']*)'|\\([^])|((?:^|(?<=\s))#.*)|(&&?|\|\|?|[;\n()`])|(\s+)|([^\s"'\\;|&()`]+|["'\\])/g
const prefixes =
  /^(?:exec|env|time|command|nice|npx|bunx|sudo|if|then|else|elif|do|while|until|!|\{|[@-]|\w+=.*)$/

/** The words of each command, without the words before the program. */
function commandsOf(run: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]]
  let word: string | null = null
  const endWord = (): void => {
    if (word !== null) commands.at(-1)?.push(word)
    word = null
  }
  for (const [, double, single, escaped, comment, separator, , bare] of run
    .replaceAll('\\\n', '')
    .matchAll(token)) {
    const part = double ?? single ?? escaped ?? bare
    if (part !== undefined) word = `${word ?? ''}${part}`
    else if (comment === undefined) endWord()
    if (separator !== undefined) commands.push([])
  }
  endWord()
  return commands.map((words) => {
    const first = words.findIndex((each) => !prefixes.test(each))
    return first < 0 ? [] : words.slice(first)
  })
}

const interpreters = /^(?:node|bun|deno|tsx|ts-node|(?:ba|z|da|k)?sh|python[\d.]*|ruby|perl|php|pwsh)$/
const sourcing = /^(?:source|\.)$/
const shells = /^(?:ba|z|da|k)?sh$/
const loads = /^(?:-r|--require|--import|--loader|--experimental-loader|--config|-c)$/
/** Flags of interpreters whose value is the next word, and no program. */
const takesValue = /^(?:-C|-P|--conditions|--env-file|--project|--tsconfig|--test-reporter(?:-destination)?)$/
const onlyReads = /^(?:--check|-n|py_compile|compileall)$/
const packageManagers = /^(?:npm|pnpm|yarn|bun)$/
const scriptRunners = /^(?:run-s|run-p|npm-run-all\d?)$/
const everywhere =
  /^(?:-r|-ws?|-F|--recursive|--workspaces?|--filter|workspaces?|foreach|--workspace=.*|--filter=.*)$/
const elsewhere = /^(?:--prefix|--cwd|--dir|-C)$/
const packageRunners = /^(?:turbo|nx|lerna)$/

const baseName = (word: string): string => word.slice(word.lastIndexOf('/') + 1)

function callOf(words: readonly string[], folder: string): CommandCall {
  const loaded = words.flatMap((word, at) => {
    const [flag = '', ...value] = word.split('=')
    return loads.test(flag) ? [value.length > 0 ? value.join('=') : (words[at + 1] ?? '')] : []
  })
  const started = words.flatMap((word, at) =>
    interpreters.test(baseName(word)) || (at === 0 && sourcing.test(word))
      ? scriptsOf(baseName(word), words.slice(at + 1))
      : [],
  )
  const files = [words[0] ?? '', ...started, ...loaded].filter((word) => /[/.]/.test(word))
  const inner = words.flatMap((word, at) =>
    /^-\w*c$/.test(word) && words.slice(0, at).some((each) => shells.test(baseName(each)))
      ? [words[at + 1] ?? '']
      : [],
  )
  return {
    ...packageCall(words, folder),
    files: files.map((file) => joinPath(folder, file)),
    lines: words[0] === 'eval' ? [...inner, words.slice(1).join(' ')] : inner,
    isMake: /^g?make$/.test(baseName(words[0] ?? '')),
  }
}

/** The file that an interpreter is to run, in every way it may be meant. */
function scriptsOf(interpreter: string, rest: readonly string[]): readonly string[] {
  // A file whose syntax is only checked judges nothing.
  if (rest.some((word) => onlyReads.test(word))) return []
  const module = rest[rest.indexOf('-m') + 1]
  if (interpreter.startsWith('python') && rest.includes('-m') && module !== undefined) {
    const path = module.replaceAll('.', '/')
    return [`${path}.py`, `${path}/__main__.py`]
  }
  const script = rest.find((word, at) => {
    const before = rest[at - 1] ?? ''
    return !word.startsWith('-') && word !== 'run' && !loads.test(before) && !takesValue.test(before)
  })
  if (script === undefined) return []
  const endings = ['.js', '.mjs', '.cjs', '.ts', '/index.js']
  return /\.\w+$/.test(script) ? [script] : [script, ...endings.map((ending) => `${script}${ending}`)]
}

function packageCall(
  words: readonly string[],
  folder: string,
): Pick<CommandCall, 'folder' | 'scripts' | 'isEverywhere'> {
  const none = { folder, scripts: [], isEverywhere: false }
  const at = words.findIndex((word) => packageManagers.test(word) || packageRunners.test(word))
  const runner = words.findIndex((word) => scriptRunners.test(word))
  if (runner >= 0) return { ...none, scripts: words.slice(runner + 1).flatMap(withHooks) }
  if (at < 0) return none
  const rest = words.slice(at + 1)
  const prefix = rest.findIndex((word) => elsewhere.test(word.split('=')[0] ?? ''))
  const place = prefix < 0 ? undefined : (rest[prefix]?.split('=')[1] ?? rest[prefix + 1])
  return {
    folder: place === undefined ? folder : joinPath(folder, place),
    // Any word among the flags and their values may name a script; a word that names none is ignored.
    scripts: rest.flatMap((word) => (word === 't' ? withHooks('test') : withHooks(word))),
    isEverywhere: packageRunners.test(words[at] ?? '') || rest.some((word) => everywhere.test(word)),
  }
}

const withHooks = (name: string): readonly string[] =>
  name.startsWith('-') ? [] : [`pre${name}`, name, `post${name}`]

/** A path from the root; one that leaves it names nothing of the tree. */
export function joinPath(folder: string, path: string): string {
  if (path.startsWith('/')) return ''
  const parts = folder === '' ? [] : folder.split('/')
  for (const part of path.split('/')) {
    if (part === '..' && parts.pop() === undefined) return ''
    if (part !== '..' && part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}
