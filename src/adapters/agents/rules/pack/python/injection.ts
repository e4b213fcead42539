import { replace } from '../../engine/edits.ts'
import { argumentsOf, hasKind } from '../../engine/node.ts'
import { callOf, insertedParts, isFixedString, keywordOf } from './syntax.ts'
import type { Node, Rule } from '../../engine/rule.ts'
import { isSql, isTrustedPart } from '../../engine/suspect-text.ts'

export const pythonInjectionRules: readonly Rule[] = [
  {
    id: 'py/dynamic-code',
    languages: ['Python'],
    severity: 'major',
    category: 'security',
    title: 'Text run as code',
    message: 'eval and exec run whatever the text contains.',
    why: 'Whoever can influence the text runs their own code with the rights of the program.',
    advice: 'Use ast.literal_eval or json.loads for data, and a dictionary for choices.',
    references: ['CWE-95', 'https://docs.python.org/3/library/ast.html#ast.literal_eval'],
    effort: 3,
    query: { rule: callOf('eval|exec') },
    accepts: (node) => {
      const [code] = argumentsOf(node)
      return code !== undefined && !isFixedString(code)
    },
  },
  {
    id: 'py/unsafe-yaml',
    languages: ['Python'],
    severity: 'critical',
    category: 'security',
    title: 'YAML loaded with a loader that makes objects',
    message: 'yaml.load without a safe loader can create any Python object that the text asks for.',
    why: 'A file or message from outside runs code as soon as it is read.',
    advice: 'Use yaml.safe_load.',
    references: ['CWE-502', 'https://pyyaml.org/wiki/PyYAMLDocumentation'],
    effort: 1,
    query: { rule: callOf('yaml\\.load') },
    accepts: (node, source) => {
      const [, second] = argumentsOf(node)
      const loader = keywordOf(node, 'Loader') ?? second
      const isUnsafe = !loader || /^(?:yaml\.)?(?:Unsafe)?Loader$/.test(loader.text())
      return isUnsafe && /^import yaml\b/m.test(source) && !source.includes('ruamel')
    },
    fix: (node) => {
      const [stream] = argumentsOf(node)
      return stream ? [replace(node, `yaml.safe_load(${stream.text()})`)] : null
    },
  },
  {
    id: 'py/unsafe-pickle',
    languages: ['Python'],
    severity: 'critical',
    category: 'security',
    title: 'Pickle loaded from outside',
    message: 'Unpickling runs code that the data names, and this data comes from a request or a socket.',
    why: 'Whoever sends the data runs their own code with the rights of the program.',
    advice: 'Exchange JSON or another format that holds data only, or verify a signature first.',
    references: ['CWE-502', 'https://docs.python.org/3/library/pickle.html'],
    effort: 3,
    query: { rule: callOf('c?[pP]ickle\\.loads?|dill\\.loads?|marshal\\.loads?') },
    accepts: (node) =>
      /\b(?:request|response)\.|\.recv\(|\bcookies?\b|\bb64decode\(/.test(argumentsOf(node)[0]?.text() ?? ''),
  },
  {
    id: 'py/shell-injection',
    languages: ['Python'],
    severity: 'critical',
    category: 'security',
    title: 'Shell command built from values',
    message: 'The command line is put together as text and given to a shell.',
    why: 'A value with a quote, a semicolon or a backtick in it runs commands of its own.',
    advice: 'Use subprocess.run with a list of arguments and without shell=True.',
    references: ['CWE-78', 'https://docs.python.org/3/library/subprocess.html#security-considerations'],
    effort: 2,
    query: {
      rule: callOf('os\\.(?:system|popen)|subprocess\\.(?:run|call|check_call|check_output|Popen|getoutput)'),
    },
    accepts: (node) => {
      const [command] = argumentsOf(node)
      const isShell = /^os\.|getoutput$/.test(node.field('function')?.text() ?? '')
      return (
        command !== undefined && (isShell || hasKind(keywordOf(node, 'shell'), 'true')) && isTainted(command)
      )
    },
  },
  {
    id: 'py/sql-injection',
    languages: ['Python'],
    severity: 'critical',
    category: 'security',
    title: 'SQL statement built from values',
    message: 'Values are put into the SQL text instead of being passed as parameters.',
    why: 'A value with a quote in it changes the statement: it can read, change or delete any data.',
    advice: 'Use placeholders and pass the values as the second argument.',
    references: ['CWE-89', 'https://peps.python.org/pep-0249/#id20'],
    effort: 2,
    query: {
      rule: {
        kind: 'call',
        has: {
          field: 'function',
          kind: 'attribute',
          has: {
            field: 'attribute',
            regex: '^(?:execute|executemany|executescript|raw|read_sql|read_sql_query)$',
          },
        },
      },
    },
    accepts: (node) => {
      const [given] = argumentsOf(node)
      const statement = given && textOf(given)
      return statement !== undefined && isSql(withoutPrefix(statement.text())) && isTainted(statement)
    },
  },
]

const isTainted = (node: Node): boolean => insertedParts(node).some((part) => !isTrustedPart(part))

/** The statement itself, where it is wrapped as SQLAlchemy's text() does. */
function textOf(node: Node): Node {
  const [wrapped] =
    hasKind(node, 'call') && node.field('function')?.text() === 'text' ? argumentsOf(node) : []
  return wrapped ?? node
}

const withoutPrefix = (text: string): string => text.replace(/^\W*[a-zA-Z]{1,2}(?=["'])/, '')
