import { replaceNode } from '../engine/edits.ts'
import { javascriptFamily } from '../engine/language.ts'
import type { TreeRule } from '../engine/rule.ts'
import {
  ancestorsOf,
  at,
  fixedText,
  isA,
  isFunction,
  isMethodCall,
  keyOf,
  listAt,
  calleeName,
  type Tree,
  type TreeNode,
} from '../engine/tree.ts'
import { namesSecret } from '../engine/secret-names.ts'
import { usesRequestAnd } from './hints.ts'
import { insertedParts, isFromRequest } from './texts.ts'

const security = {
  languages: javascriptFamily,
  severity: 'critical',
  category: 'security',
  effort: 2,
} as const satisfies Partial<TreeRule>

const statement =
  /^\W*(?:select\s.+\sfrom\s|insert\s+into\s|replace\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|drop\s+table\s|alter\s+table\s)/is

/** Ways in for an attacker, only where the attacker's text is seen to come in. */
export const securityRules: readonly TreeRule[] = [
  {
    ...security,
    id: 'js/insecure-random',
    done: 'use crypto.randomUUID',
    severity: 'major',
    effort: 1,
    title: 'Secret made with Math.random',
    message: 'Math.random is predictable and must not be used for tokens, passwords and the like.',
    why: 'From a few values its next ones can be computed, and with them the secrets of other users.',
    advice: 'Use crypto.randomUUID, crypto.getRandomValues or crypto.randomBytes.',
    references: ['CWE-338', 'https://developer.mozilla.org/docs/Web/API/Crypto/randomUUID'],
    hint: /Math\.random/,
    types: ['CallExpression'],
    accepts: (node, tree) => tree.textOf(node) === 'Math.random()' && makesSecret(node, tree),
    fix: (node, tree) => {
      const whole = ancestorsOf(node, tree).filter((around) => around.start === node.start)
      const text = whole.findLast((around) => randomText.test(tree.textOf(around)))
      return text ? [replaceNode(text, 'crypto.randomUUID()')] : null
    },
  },
  {
    ...security,
    id: 'js/tls-verification-off',
    done: 'verify TLS certificates',
    title: 'TLS certificates are not verified',
    message: 'The connection accepts any certificate, so it may be with anybody.',
    why: 'Whoever sits on the network path can read and change everything that is sent, credentials included.',
    references: ['CWE-295', 'https://nodejs.org/api/tls.html'],
    hint: /rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED/,
    types: ['Property', 'AssignmentExpression'],
    accepts: (node, tree) => switchesTlsOff(node, tree) && !isChosen(node, tree),
    fix: (node) => {
      const given = at(node, 'value') ?? at(node, 'right')
      return given && [replaceNode(given, isA(node, 'Property') ? 'true' : "'1'")]
    },
  },
  {
    ...security,
    id: 'js/jwt-none',
    title: 'Token accepted without a signature',
    message: 'The algorithm "none" makes tokens valid that nobody signed.',
    why: 'Anybody can write a token with any user and any rights in it.',
    advice: 'Name the algorithms that are really in use, such as RS256, and give the key.',
    references: ['CWE-347', 'https://datatracker.ietf.org/doc/html/rfc8725'],
    hint: /\balgorithms?\b/,
    types: ['CallExpression'],
    accepts: (node) => {
      const options = listAt(listAt(node, 'arguments').at(-1), 'properties')
      const named = options.filter((entry) => /^algorithms?$/.test(keyOf(entry)))
      const values = named.flatMap((entry) => [at(entry, 'value'), ...listAt(at(entry, 'value'), 'elements')])
      const isNone = values.some((each) => fixedText(each)?.toLowerCase() === 'none')
      return isNone && /^(?:verify|sign|jwtVerify)$/.test(calleeName(node))
    },
  },
  {
    ...security,
    id: 'js/sql-injection',
    title: 'SQL statement built from a request',
    message: 'What a request brings is put into the SQL text instead of being passed as a parameter.',
    why: 'A value with a quote in it changes the statement: it can read, change or delete any data.',
    advice: 'Use placeholders and pass the values separately.',
    references: [
      'CWE-89',
      'https://cheatsheetseries.owasp.org/cheatsheets/Query_Parameterization_Cheat_Sheet.html',
    ],
    hint: usesRequestAnd(
      /\b(?:select|insert\s+into|replace\s+into|update|delete\s+from|drop\s+table|alter\s+table)\s/i,
    ),
    types: ['CallExpression'],
    accepts: (node, tree) => {
      const [given] = listAt(node, 'arguments')
      const takesSql =
        /^(?:query|execute|raw|\$queryRawUnsafe|\$executeRawUnsafe|exec|prepare|all|get|run|each)$/
      return (
        given !== undefined &&
        isMethodCall(node, takesSql) &&
        statement.test(tree.textOf(given)) &&
        takesIn(given, tree)
      )
    },
  },
  {
    ...security,
    id: 'js/shell-injection',
    title: 'Shell command built from a request',
    message: 'What a request brings is put into the text of a shell command.',
    why: 'A value with ; or $( in it runs any other program on the server.',
    advice: 'Use execFile or spawn with a list of arguments.',
    references: ['CWE-78', 'https://nodejs.org/api/child_process.html'],
    hint: usesRequestAnd(/child_process/),
    types: ['CallExpression'],
    accepts: (node, tree) => {
      const [command] = listAt(node, 'arguments')
      return command !== undefined && /^exec(?:Sync)?$/.test(calleeName(node)) && takesIn(command, tree)
    },
  },
  {
    ...security,
    id: 'js/code-injection',
    title: 'Code made from a request',
    message: 'What a request brings is run as code.',
    why: 'Whoever sends the request runs any code on the server.',
    advice: 'Parse the text, or choose among functions by name.',
    references: ['CWE-95', 'https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/eval'],
    hint: usesRequestAnd(/\beval\(|new Function\(/),
    types: ['CallExpression', 'NewExpression'],
    accepts: (node, tree) => {
      const isCode = isA(node, 'NewExpression') ? /^Function$/ : /^eval$/
      const code = listAt(node, 'arguments').at(-1)
      return (
        code !== undefined &&
        isCode.test(calleeName(node)) &&
        (takesIn(code, tree) || isFromRequest(code, tree))
      )
    },
  },
]

const takesIn = (text: TreeNode, tree: Tree): boolean =>
  insertedParts(text).some((part) => isFromRequest(part, tree))

const randomText =
  /^Math\.random\(\)\.toString\((?:36|16)\)(?:\.(?:slice|substr|substring)\(\d+(?:,\s*\d+)?\))?$/

/** True when the value goes into something named like a secret, or is what a function of such a name returns. */
function makesSecret(node: TreeNode, tree: Tree): boolean {
  let isReturned = false
  for (const around of ancestorsOf(node, tree)) {
    const target = at(around, 'id') ?? at(around, 'key') ?? at(around, 'left')
    const name = (target ? tree.textOf(target) : '').split('.').at(-1) ?? ''
    const isTarget = isA(
      around,
      'VariableDeclarator',
      'Property',
      'AssignmentExpression',
      'PropertyDefinition',
    )
    const isFunctionOf =
      isFunction(at(around, 'value')) || isFunction(at(around, 'init')) || isFunction(around)
    if (isTarget && !isFunctionOf) return namesSecret(name)
    if (isFunctionOf && target !== null) return isReturned && namesSecret(name)
    isReturned ||=
      isA(around, 'ReturnStatement') || (isFunction(around) && !isA(at(around, 'body'), 'BlockStatement'))
  }
  return false
}

function switchesTlsOff(node: TreeNode, { textOf }: Tree): boolean {
  const [key, given] = [at(node, 'key') ?? at(node, 'left'), at(node, 'value') ?? at(node, 'right')]
  if (!key || !given) return false
  if (isA(node, 'Property')) return keyOf(node) === 'rejectUnauthorized' && textOf(given) === 'false'
  return textOf(key) === 'process.env.NODE_TLS_REJECT_UNAUTHORIZED' && /^["']?0["']?$/.test(textOf(given))
}

/** Where a condition decides, somebody asked for it: an option, a kind of connection, a test. */
const isChosen = (node: TreeNode, tree: Tree): boolean =>
  ancestorsOf(node, tree).some(
    (around) =>
      isA(around, 'IfStatement', 'ConditionalExpression', 'LogicalExpression', 'SwitchCase') ||
      isMiddleware(around, tree),
  )

/** What answers requests has options of that name about its users. */
const isMiddleware = (node: TreeNode, { textOf }: Tree): boolean =>
  isA(node, 'CallExpression') && /middleware$/i.test(textOf(at(node, 'callee') ?? node))
