import { insertAfter, replace } from '../../engine/edits.ts'
import { argumentsOf, hasKind, isFunction } from '../../engine/node.ts'
import { callOf, keywordOf, passesOn } from './syntax.ts'
import type { Edit, Node, Rule } from '../../engine/rule.ts'
import { credentialText, isSampleCredential, namesSecret } from '../../engine/suspect-text.ts'

const requestMethods = 'get|post|put|patch|delete|head|options|request'

export const pythonSecurityRules: readonly Rule[] = [
  {
    id: 'py/tls-verification-off',
    languages: ['Python'],
    severity: 'critical',
    category: 'security',
    title: 'TLS certificates are not verified',
    message: 'The connection accepts any certificate, so it may be with anybody.',
    why: 'Whoever sits on the network path can read and change everything that is sent, credentials included.',
    references: ['CWE-295', 'https://docs.python.org/3/library/ssl.html#security-considerations'],
    effort: 2,
    query: {
      rule: {
        any: [
          {
            kind: 'keyword_argument',
            all: [{ has: { field: 'name', regex: '^verify$' } }, { has: { field: 'value', kind: 'false' } }],
            inside: {
              kind: 'argument_list',
              inside: callOf(
                `(?:requests|httpx)\\.\\w+|(?:\\w+\\.)*(?:session|client)\\.(?:${requestMethods})`,
              ),
            },
          },
          { kind: 'attribute', regex: '^ssl\\._create_unverified_context$', inside: { kind: 'call' } },
        ],
      },
    },
    fix: (node) => {
      if (hasKind(node, 'attribute')) return [replace(node, 'ssl.create_default_context')]
      const value = node.field('value')
      return value && [replace(value, 'True')]
    },
  },
  {
    id: 'py/request-timeout',
    languages: ['Python'],
    severity: 'major',
    category: 'reliability',
    title: 'Request without a timeout',
    message: 'Without a timeout requests waits for the server for ever.',
    why: 'One server that does not answer holds the thread, and in time every thread.',
    references: ['CWE-400', 'https://requests.readthedocs.io/en/latest/user/advanced/#timeouts'],
    effort: 1,
    query: { rule: callOf(`requests\\.(?:${requestMethods})`) },
    accepts: (node) => argumentsOf(node).length > 0 && keywordOf(node, 'timeout') === null && !passesOn(node),
    fix: (node) => addKeyword(node, 'timeout=30'),
  },
  {
    id: 'py/insecure-temp-file',
    languages: ['Python'],
    severity: 'major',
    category: 'security',
    title: 'Temporary name that others can take first',
    message: 'mktemp only makes up a name; somebody else can create the file before this program does.',
    why: 'On a shared machine another user can make the program write into a file of their choice.',
    advice: 'Use tempfile.NamedTemporaryFile or tempfile.mkstemp.',
    references: ['CWE-377', 'https://docs.python.org/3/library/tempfile.html#tempfile.mktemp'],
    effort: 1,
    query: { rule: callOf('tempfile\\.mktemp') },
    fix: (node) => {
      const given = argumentsOf(node)
      if (!given.every((each) => hasKind(each, 'keyword_argument'))) return null
      const options = [...given.map((each) => each.text()), 'delete=False'].join(', ')
      return [replace(node, `tempfile.NamedTemporaryFile(${options}).name`)]
    },
  },
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
    query: { rule: { kind: 'string', regex: credentialText } },
    accepts: (node) => !isSampleCredential(node.text()),
  },
  {
    id: 'py/weak-password-hash',
    languages: ['Python'],
    severity: 'major',
    category: 'security',
    title: 'Secret hashed with MD5 or SHA-1',
    message: 'MD5 and SHA-1 are fast and broken; a secret hashed with them can be found by trying.',
    why: 'When the stored hashes leak, most passwords are known within hours.',
    advice: 'Use hashlib.scrypt, argon2 or bcrypt for passwords, and SHA-256 or HMAC for other secrets.',
    references: ['CWE-328', 'CWE-916', 'https://docs.python.org/3/library/hashlib.html#key-derivation'],
    effort: 3,
    query: { rule: callOf('hashlib\\.(?:md5|sha1)') },
    accepts: (node) => {
      const [hashed] = argumentsOf(node)
      const subject = (hashed?.text() ?? '').replace(/\.encode\([^)]*\)$/, '')
      return /^[\w.]+$/.test(subject) && namesSecret(subject)
    },
  },
  {
    id: 'py/flask-debug',
    languages: ['Python'],
    severity: 'major',
    category: 'security',
    title: 'Debug mode switched on in code',
    message: 'The debugger of Flask runs any Python code that is typed into an error page.',
    why: 'Where this runs in production, whoever can cause an error can take over the server.',
    references: ['CWE-489', 'https://flask.palletsprojects.com/en/stable/debugging/'],
    effort: 1,
    query: { rule: callOf('\\w+\\.run') },
    accepts: (node, source) =>
      /^(?:from|import) flask\b/m.test(source) && hasKind(keywordOf(node, 'debug'), 'true'),
    fix: (node) => {
      const value = keywordOf(node, 'debug')
      return value && [replace(value, 'False')]
    },
  },
  {
    id: 'py/tar-extract-all',
    languages: ['Python'],
    severity: 'major',
    category: 'security',
    title: 'Archive unpacked without a filter',
    message: 'Members of a tar archive may have absolute paths, "..", links and device files.',
    why: 'An archive from outside can overwrite any file that the program may write.',
    references: ['CWE-22', 'https://docs.python.org/3/library/tarfile.html#extraction-filters'],
    effort: 1,
    query: { rule: callOf('\\w+\\.extractall') },
    accepts: (node, source) => {
      const name = node.field('function')?.field('object')?.text() ?? ''
      const opened = new RegExp(`\\btarfile\\.open\\(.*\\bas ${name}\\b|\\b${name} = tarfile\\.open\\(`)
      return opened.test(source) && keywordOf(node, 'filter') === null && !passesOn(node)
    },
    fix: (node) => addKeyword(node, "filter='data'"),
  },
]

function addKeyword(call: Node, keyword: string): Edit[] | null {
  const last = argumentsOf(call).at(-1)
  if (last) return [insertAfter(last, `, ${keyword}`)]
  const list = call.field('arguments')
  return list && [replace(list, `(${keyword})`)]
}

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
