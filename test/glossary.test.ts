import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseSync } from 'vite'
import { describe, expect, test } from 'vitest'
import { openSqliteStore } from '../src/adapters/store/index.ts'

const root = join(import.meta.dirname, '..')

/** Names and texts that hold an avoided word for a good reason. */
const allowed: readonly { readonly names: RegExp; readonly why: string }[] = [
  { names: /^runs?[A-Z]/, why: 'the verb: what has effects is run' },
  {
    names: /^(?!.*(?:Session|Review|Fix|Issue))\w*Run|^RUN_|^command_run\./,
    why: 'one run of a program: of an agent, a command, a test runner. A round is defined by it',
  },
  { names: /diff/i, why: "the text of a patch, as in the API's `/diff` and the result's `diff`" },
  { names: /sandbox/i, why: 'the setting `sandbox`' },
  { names: /^(?:fix|master)Todo$/, why: 'the files `fix_todo_CODE.json` and `master_todo.json`' },
  {
    names: /^(?:A|a)gentTask$|^issue\.task_id$/,
    why: 'what an agent is given (`FIXPOINT_TASK`), and `task_id` of the API',
  },
  { names: /^merge(?:Base|Written|Runs)$/, why: "the verb, of values that become one, and git's merge base" },
  {
    names: /^(?:Linter|Secret|Source)Scan$|^scan(?:Now|Patterns|Sources?|Text|Tree)$|^ScanOptions$/,
    why: 'looking through texts',
  },
  { names: /vote/i, why: 'the votes on a pull request, as in the result of `pr review`' },
  {
    names: /^(?:createScans|CodeScans|ScanAlert|importAlerts|findingOfAlert)$/,
    why: "GitHub's own name for what its code scanning found",
  },
  { names: /^readHistoryKey$/, why: "git's history, by which a repository is known again" },
]

/** Words that say nothing to a stranger in a name of the code, with what to say instead. */
const unclear: ReadonlyMap<string, string> = new Map([
  ['announce', 'publish'],
  ['beforehand', 'what comes before what'],
  ['desk', 'what is kept there'],
  ['eye', 'who looks'],
  ['tell', 'report, publish, ask or name'],
])

interface Used {
  /** The name in the code, or the text of the page. */
  readonly name: string
  readonly file: string
}

type Node = Readonly<Record<string, unknown>> & { readonly type: string }

/** Each avoided word, with the term that replaces it. A word that is itself a term is never avoided. */
function readAvoided(): ReadonlyMap<string, string> {
  const rows = readFileSync(join(root, 'docs/glossary.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()))
  const terms = new Set(rows.map(([, term = '']) => term.toLowerCase()))
  return new Map(
    rows
      .flatMap(([, term = '', , words = '']) => words.split(', ').map((word) => [word, term] as const))
      .filter(([word]) => word !== '' && !terms.has(word)),
  )
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

function parseFiles(patterns: readonly string[]): readonly (readonly [file: string, program: Node])[] {
  return globSync([...patterns], { cwd: root, exclude: ['**/*.test.{ts,tsx}', '**/node_modules/**'] })
    .toSorted()
    .flatMap((file) => {
      const program: unknown = parseSync(file, readFileSync(join(root, file), 'utf8')).program
      return isNode(program) ? [[file, program] as const] : []
    })
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flat().filter(isNode)
}

function exportedNames(program: Node): readonly string[] {
  return childrenOf(program)
    .filter(({ type }) => type === 'ExportNamedDeclaration')
    .flatMap(childrenOf)
    .flatMap((declaration) => [declaration, ...childrenOf(declaration)])
    .flatMap(({ id }) => (isNode(id) && typeof id['name'] === 'string' ? [id['name']] : []))
}

/** Every name that a file declares or uses, of members and locals too. */
function allNames(node: Node): readonly string[] {
  const own = node.type === 'Identifier' ? [String(node['name'])] : []
  return [...own, ...childrenOf(node).flatMap(allNames)]
}

/** The words that a person reads on a page: its text, and literals that are a sentence or begin like one; never class names or imports. */
function shownTexts(node: Node): readonly string[] {
  if (node.type === 'JSXText') return [String(node['value'])]
  if (node.type === 'ImportDeclaration' || isClassName(node)) return []
  if (node.type === 'Literal' && typeof node['value'] === 'string') return [node['value']].filter(isSentence)
  if (node.type === 'TemplateElement') return [readCooked(node['value'])].filter(isSentence)
  return childrenOf(node).flatMap(shownTexts)
}

const isClassName = ({ type, name }: Node): boolean =>
  type === 'JSXAttribute' && isNode(name) && name['name'] === 'className'
const readCooked = (value: unknown): string => (value as { readonly cooked?: string }).cooked ?? ''
const isSentence = (text: string): boolean => /^[A-Z]|[a-z] /.test(text)

/** The tables that the migrations make, and their columns as `table.column`. */
async function databaseNames(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-glossary-'))
  const file = join(folder, 'fixpoint.db')
  await (await openSqliteStore({ file, now: Date.now })).close()
  const database = new DatabaseSync(file, { readOnly: true })
  const columns = database
    .prepare(
      'SELECT m.name AS made, c.name AS field FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = ?',
    )
    .all('table')
  database.close()
  rmSync(folder, { recursive: true })
  return columns.map(({ made, field }) => `${String(made)}.${String(field)}`)
}

const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .match(/[a-z]+/g) ?? []

/** The avoided words among the names, each with its place and its replacement. */
function findAvoided(used: readonly Used[], avoided = readAvoided()): readonly string[] {
  return used.flatMap(({ name, file }) =>
    wordsOf(name).flatMap((word) => {
      const term = avoided.get(word) ?? avoided.get(word.replace(/s$/, ''))
      const isAllowed = allowed.some(({ names }) => names.test(name))
      return term && !isAllowed ? [`${file}: "${name.trim()}" says ${word}; better is ${term}`] : []
    }),
  )
}

const sources = parseFiles(['src/**/*.ts', 'web/src/**/*.{ts,tsx}'])
const exported = sources.flatMap(([file, program]) => exportedNames(program).map((name) => ({ name, file })))
const shown = parseFiles(['src/tui/*.ts', 'web/src/**/*.{ts,tsx}']).flatMap(([file, program]) =>
  shownTexts(program).map((name) => ({ name, file })),
)
const stored = (await databaseNames()).map((name) => ({ name, file: 'the database' }))

describe('the words of the glossary', () => {
  test('no exported name has a word that the glossary avoids', () => {
    expect(findAvoided(exported)).toEqual([])
  })

  test('no table and no column has a word that the glossary avoids', () => {
    expect(findAvoided(stored)).toEqual([])
  })

  test('no text of the dashboard or the terminal screen has a word that the glossary avoids', () => {
    expect(findAvoided(shown)).toEqual([])
  })

  test('no name in the code has a word that a stranger does not understand', () => {
    const named = [...sources, ...parseFiles(['{bench,scripts,test}/**/*.ts'])].flatMap(([file, program]) =>
      [...new Set(allNames(program))].map((name) => ({ name, file })),
    )
    expect(findAvoided(named, unclear)).toEqual([])
    expect(findAvoided([{ name: 'tellsPath', file: 'x' }], unclear)).toHaveLength(1)
    expect(named.map(({ name }) => name)).toContain('publishEvent')
  })

  test('every kind of name is looked at', () => {
    expect(exported.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Issue', 'IssuesPage', 'runAttempt']),
    )
    expect(stored.map(({ name }) => name)).toContain('issue.code')
    expect(shown.map(({ name }) => name)).toContain('Nothing to count yet')
  })

  test('every name that is allowed all the same is still used', () => {
    const used = [...exported, ...stored, ...shown]
    expect(allowed.filter(({ names }) => !used.some(({ name }) => names.test(name)))).toEqual([])
  })

  test('an avoided word is seen in any part of a name, in the plural and in a sentence', () => {
    const found = findAvoided(
      ['SessionJob', 'openTickets', 'issue_task', 'Review jobs', 'sessionRunner'].map((name) => ({
        name,
        file: 'x',
      })),
    )
    expect(found.map((line) => line.slice(line.indexOf(' says') + 6))).toEqual([
      'job; better is Session',
      'tickets; better is Issue',
      'task; better is Issue',
      'jobs; better is Session',
    ])
  })
})
