import { replace } from '../../engine/edits.ts'
import { javascriptFamily } from '../../engine/language.ts'
import { argumentsOf, hasKind, isFunction, stringValue } from '../../engine/node.ts'
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
import { isBuiltText, isFixedText, methodCall, operandsOf, propertyValue } from './syntax.ts'

const randomText =
  /^Math\.random\(\)\.toString\((?:36|16)\)(?:\.(?:slice|substr|substring)\(\d+(?:,\s*\d+)?\))?$/

export const javascriptSecurityRules: readonly PatternRule[] = [
  {
    id: 'js/insecure-random',
    languages: javascriptFamily,
    severity: 'major',
    category: 'security',
    title: 'Secret made with Math.random',
    message: 'Math.random is predictable and must not be used for tokens, passwords and the like.',
    why: 'From a few values its next ones can be computed, and with them the secrets of other users.',
    advice: 'Use crypto.randomUUID, crypto.getRandomValues or crypto.randomBytes.',
    references: ['CWE-338', 'https://developer.mozilla.org/docs/Web/API/Crypto/randomUUID'],
    effort: 1,
    hint: /Math\.random/,
    query: { rule: { pattern: 'Math.random()' } },
    accepts: makesSecret,
    fix: (node) => {
      const whole = node.ancestors().findLast((around) => isChainOf(around, node))
      return whole && randomText.test(whole.text()) ? [replace(whole, 'crypto.randomUUID()')] : null
    },
  },
  {
    id: 'js/tls-verification-off',
    languages: javascriptFamily,
    severity: 'critical',
    category: 'security',
    title: 'TLS certificates are not verified',
    message: 'The connection accepts any certificate, so it may be with anybody.',
    why: 'Whoever sits on the network path can read and change everything that is sent, credentials included.',
    references: ['CWE-295', 'https://nodejs.org/api/tls.html'],
    effort: 2,
    hint: /rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED/,
    query: {
      rule: {
        any: [
          {
            kind: 'pair',
            all: [
              { has: { field: 'key', regex: '^["\']?rejectUnauthorized["\']?$' } },
              { has: { field: 'value', kind: 'false' } },
            ],
          },
          {
            kind: 'assignment_expression',
            all: [
              { has: { field: 'left', regex: '^process\\.env\\.NODE_TLS_REJECT_UNAUTHORIZED$' } },
              { has: { field: 'right', regex: '^["\']?0["\']?$' } },
            ],
          },
        ],
      },
    },
    fix: (node) => {
      const value = node.field('value') ?? node.field('right')
      return value && [replace(value, hasKind(node, 'pair') ? 'true' : "'1'")]
    },
  },
  {
    id: 'js/jwt-none',
    languages: javascriptFamily,
    severity: 'critical',
    category: 'security',
    title: 'Token accepted without a signature',
    message: 'The algorithm "none" makes tokens valid that nobody signed.',
    why: 'Anybody can write a token with any user and any rights in it.',
    advice: 'Name the algorithms that are really in use, such as RS256, and give the key.',
    references: ['CWE-347', 'https://datatracker.ietf.org/doc/html/rfc8725'],
    effort: 2,
    hint: /\bnone\b/i,
    query: {
      rule: {
        kind: 'call_expression',
        has: { field: 'function', regex: '(?:^|\\.)(?:verify|sign|jwtVerify)$' },
      },
    },
    accepts: (node) => {
      const options = argumentsOf(node).at(-1)
      const named = propertyValue(options, 'algorithms')?.namedChildren() ?? [
        propertyValue(options, 'algorithm'),
      ]
      return named.some((each) => stringValue(each)?.toLowerCase() === 'none')
    },
  },
  {
    id: 'js/hardcoded-credential',
    languages: javascriptFamily,
    severity: 'critical',
    category: 'security',
    title: 'Credential written into the code',
    message: 'This text has the form of a real credential.',
    why: 'Everybody with access to the repository or the shipped code can use it, and its history keeps it.',
    advice: 'Revoke it, read it from the environment or a secret store, and remove it from the history.',
    references: ['CWE-798'],
    effort: 3,
    hint: credentialHint,
    query: { rule: { any: [{ kind: 'string' }, { kind: 'template_string' }], regex: credentialText } },
    accepts: (node) => !isSampleCredential(node.text()),
  },
  {
    id: 'js/sql-injection',
    languages: javascriptFamily,
    severity: 'critical',
    category: 'security',
    title: 'SQL statement built from values',
    message: 'Values are put into the SQL text instead of being passed as parameters.',
    why: 'A value with a quote in it changes the statement: it can read, change or delete any data.',
    advice: 'Use placeholders and pass the values separately.',
    references: [
      'CWE-89',
      'https://cheatsheetseries.owasp.org/cheatsheets/Query_Parameterization_Cheat_Sheet.html',
    ],
    effort: 2,
    hint: sqlHint,
    query: {
      rule: methodCall(
        'query|execute|raw|\\$queryRawUnsafe|\\$executeRawUnsafe|exec|prepare|all|get|run|each',
      ),
    },
    accepts: (node) => {
      const [statement] = argumentsOf(node)
      if (!statement || !isBuiltText(statement)) return false
      return isSql(statement.text()) && !insertedParts(statement).every(isTrustedPart)
    },
  },
]

/** True when the value goes into something named like a secret, or the function around it makes one. */
function makesSecret(node: Node): boolean {
  for (const around of node.ancestors()) {
    const target = around.field('name') ?? around.field('key') ?? around.field('left')
    const isTarget = hasKind(
      around,
      'variable_declarator',
      'pair',
      'assignment_expression',
      'public_field_definition',
    )
    const name = (target?.text() ?? '').split('.').at(-1) ?? ''
    if ((isTarget || isFunction(around)) && namesSecret(name)) return true
    if (isFunction(around) && target !== null) return false
  }
  return false
}

/** True when the node is only calls and members around the inner one: `inner.toString(36).slice(2)`. */
function isChainOf(node: Node, inner: Node): boolean {
  let current: Node | null = node
  while (current && hasKind(current, 'call_expression', 'member_expression')) {
    if (current.id() === inner.id()) return true
    current = current.field('function') ?? current.field('object')
  }
  return false
}

/** The code of what is put into a built text. */
function insertedParts(node: Node): string[] {
  const parts = hasKind(node, 'template_string') ? [node] : operandsOf(node)
  return parts.flatMap((part) => {
    if (!hasKind(part, 'template_string')) return isFixedText(part) ? [] : [part.text()]
    const substitutions = part.namedChildren().filter((child) => hasKind(child, 'template_substitution'))
    return substitutions.map((child) => child.text().slice(2, -1).trim())
  })
}
