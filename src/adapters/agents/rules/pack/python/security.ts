import { replace } from '../../engine/edits.ts'
import { argumentsOf, hasKind, isFunction } from '../../engine/node.ts'
import type { Node, PatternRule } from '../../engine/rule.ts'
import {
  credentialText,
  isSampleCredential,
  isSql,
  isTrustedPart,
  namesSecret,
  credentialHint,
  sqlHint,
} from '../../engine/suspect-text.ts'
import { callOf, insertedParts } from './syntax.ts'

export const pythonSecurityRules: readonly PatternRule[] = [
  {
    id: 'py/insecure-random',
    languages: ['Python'],
    severity: 'major',
    category: 'security',
    title: 'Secret made with the random module',
    message: 'The random module is predictable and must not be used for tokens, passwords and the like.',
    why: 'From enough values its next ones can be computed, and with them the secrets of other users.',
    references: ['CWE-338', 'https://docs.python.org/3/library/secrets.html'],
    effort: 1,
    hint: /\brandom\./,
    query: { rule: callOf('random\\.(?:random|randint|randrange|choice|choices|sample|getrandbits)') },
    accepts: makesSecret,
    fix: (node) => {
      const module = node.field('function')?.field('object')
      return module ? [replace(module, 'random.SystemRandom()')] : null
    },
  },
  {
    id: 'py/hardcoded-credential',
    languages: ['Python'],
    severity: 'critical',
    category: 'security',
    title: 'Credential written into the code',
    message: 'This text has the form of a real credential.',
    why: 'Everybody with access to the repository or the shipped code can use it, and its history keeps it.',
    advice: 'Revoke it, read it from the environment or a secret store, and remove it from the history.',
    references: ['CWE-798'],
    effort: 3,
    hint: credentialHint,
    query: { rule: { kind: 'string', regex: credentialText } },
    accepts: (node) => !isSampleCredential(node.text()),
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
    hint: sqlHint,
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

/** True when the value goes into something named like a secret, or the function around it makes one. */
function makesSecret(node: Node): boolean {
  for (const around of node.ancestors()) {
    const target = around.field(hasKind(around, 'assignment') ? 'left' : 'name')
    const isTarget = hasKind(around, 'assignment', 'keyword_argument', 'function_definition')
    if (isTarget && namesSecret(target?.text() ?? '')) return true
    if (isFunction(around)) return false
  }
  return false
}

const isTainted = (node: Node): boolean => insertedParts(node).some((part) => !isTrustedPart(part))

/** The statement itself, where it is wrapped as SQLAlchemy's text() does. */
function textOf(node: Node): Node {
  const [wrapped] =
    hasKind(node, 'call') && node.field('function')?.text() === 'text' ? argumentsOf(node) : []
  return wrapped ?? node
}

const withoutPrefix = (text: string): string => text.replace(/^\W*[a-zA-Z]{1,2}(?=["'])/, '')
