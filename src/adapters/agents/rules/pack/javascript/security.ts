import { replace } from '../../engine/edits.ts'
import { calleeName, isFixedText, methodCall, propertyValue } from './syntax.ts'
import { javascriptFamily } from '../../engine/language.ts'
import { argumentsOf, hasKind, isFunction, stringValue } from '../../engine/node.ts'
import type { Node, Rule } from '../../engine/rule.ts'
import { credentialText, isSampleCredential, namesSecret } from '../../engine/suspect-text.ts'

const randomText =
  /^Math\.random\(\)\.toString\((?:36|16)\)(?:\.(?:slice|substr|substring)\(\d+(?:,\s*\d+)?\))?$/

export const javascriptSecurityRules: readonly Rule[] = [
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
    query: { rule: { any: [{ kind: 'string' }, { kind: 'template_string' }], regex: credentialText } },
    accepts: (node) => !isSampleCredential(node.text()),
  },
  {
    id: 'js/cookie-http-only-off',
    languages: javascriptFamily,
    severity: 'major',
    category: 'security',
    title: 'Cookie readable by scripts',
    message: 'httpOnly is switched off, so scripts of the page can read this cookie.',
    why: 'One injected script is enough to take the session away.',
    references: ['CWE-1004', 'https://developer.mozilla.org/docs/Web/HTTP/Guides/Cookies'],
    effort: 1,
    query: {
      rule: {
        kind: 'pair',
        all: [{ has: { field: 'key', regex: '^httpOnly$' } }, { has: { field: 'value', kind: 'false' } }],
      },
    },
    accepts: (node) => {
      const object = node.parent()
      const around = object?.parent()
      const isOption = hasKind(around, 'pair') && around?.field('key')?.text() === 'cookie'
      const call = hasKind(around, 'arguments') ? around?.parent() : null
      // A cookie that scripts read on purpose, as the double submit pattern against forgery does.
      const isForScripts = /csrf|xsrf/i.test(call?.text() ?? '')
      return isOption || (call !== null && call !== undefined && isCookieCall(call) && !isForScripts)
    },
    fix: (node) => {
      const value = node.field('value')
      return value && [replace(value, 'true')]
    },
  },
  {
    id: 'js/new-buffer',
    languages: javascriptFamily,
    severity: 'major',
    category: 'security',
    title: 'Buffer made with its constructor',
    message: 'new Buffer treats a number as a size and everything else as content, and is deprecated.',
    why: 'Where input decides the type, a number sent by a user allocates that much memory.',
    advice: 'Use Buffer.from for content and Buffer.alloc for a size.',
    references: ['CWE-665', 'https://nodejs.org/api/deprecations.html'],
    effort: 1,
    query: { rule: { kind: 'new_expression', has: { field: 'constructor', regex: '^Buffer$' } } },
    accepts: (node) => argumentsOf(node).length > 0,
    fix: (node) => {
      const [first, encoding] = argumentsOf(node)
      const list = node.field('arguments')?.text() ?? ''
      if (hasKind(first, 'number')) return [replace(node, `Buffer.alloc${list}`)]
      const isContent =
        hasKind(first, 'string', 'template_string', 'array') || (encoding && isFixedText(encoding))
      return isContent ? [replace(node, `Buffer.from${list}`)] : null
    },
  },
  {
    id: 'js/weak-cipher',
    languages: javascriptFamily,
    severity: 'major',
    category: 'security',
    title: 'Broken cipher or mode',
    message:
      'DES, RC4, RC2, Blowfish and every cipher in ECB mode can be broken or leak patterns of the text.',
    why: 'The data looks encrypted but can be read by somebody who wants to.',
    advice: 'Use aes-256-gcm with a random nonce, and check the authentication tag.',
    references: ['CWE-327', 'https://nodejs.org/api/crypto.html'],
    effort: 3,
    query: {
      rule: {
        kind: 'call_expression',
        has: { field: 'function', regex: '(?:^|\\.)create(?:Cipher|Decipher)(?:iv)?$' },
      },
    },
    accepts: (node) => /^(?:des|rc2|rc4|bf)\b|\becb$/i.test(stringValue(argumentsOf(node)[0]) ?? ''),
  },
  {
    id: 'js/weak-password-hash',
    languages: javascriptFamily,
    severity: 'major',
    category: 'security',
    title: 'Secret hashed with MD5 or SHA-1',
    message: 'MD5 and SHA-1 are fast and broken; a secret hashed with them can be found by trying.',
    why: 'When the stored hashes leak, most passwords are known within hours.',
    advice: 'Use scrypt, argon2 or bcrypt for passwords, and SHA-256 or HMAC for other secrets.',
    references: ['CWE-328', 'CWE-916', 'https://nodejs.org/api/crypto.html'],
    effort: 3,
    query: { rule: methodCall('update') },
    accepts: (node) => {
      const hash = node.field('function')?.field('object')
      const isWeak =
        hash !== null &&
        hash !== undefined &&
        hasKind(hash, 'call_expression') &&
        calleeName(hash) === 'createHash'
      const algorithm = isWeak ? (stringValue(argumentsOf(hash)[0]) ?? '') : ''
      return /^(?:md5|sha-?1)$/i.test(algorithm) && namesSecret(argumentsOf(node)[0]?.text() ?? '')
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

const isCookieCall = (call: Node): boolean => /^(?:cookie|setCookie|set|serialize)$/.test(calleeName(call))
