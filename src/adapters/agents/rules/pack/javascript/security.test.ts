import { bad, testRules } from '../../../../../../test/fixtures/rule-table.ts'
import { javascriptSecurityRules } from './security.ts'

// Put together here, so that no scanner takes this file for a leak.
const githubToken = `ghp_${'a1B2'.repeat(9)}`
const awsKey = `AKIA${'Q3W5'.repeat(4)}`

testRules(javascriptSecurityRules, {
  'js/insecure-random': {
    bad: [
      bad('const token = Math.random().toString(36).slice(2)', 'const token = crypto.randomUUID()'),
      bad('user.resetToken = Math.random().toString(16)', 'user.resetToken = crypto.randomUUID()'),
      bad('function makePassword() { return Math.floor(Math.random() * 1e9) }'),
      bad('const sessionId = () => { return `s${Math.random()}` }'),
    ],
    good: [
      'const angle = Math.random() * 360',
      'const tokenCount = Math.floor(Math.random() * 9)',
      'const token = crypto.randomUUID()',
      'function f(token) { return { jitter: Math.random() } }',
    ],
  },
  'js/tls-verification-off': {
    bad: [
      bad('https.request({ rejectUnauthorized: false })', 'https.request({ rejectUnauthorized: true })'),
      bad("process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'", "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '1'"),
    ],
    good: [
      'https.request({ rejectUnauthorized: true })',
      'https.request({ rejectUnauthorized })',
      'const rejectUnauthorized = false',
    ],
  },
  'js/jwt-none': {
    bad: [
      bad("jwt.verify(token, key, { algorithms: ['HS256', 'none'] })"),
      bad("jwt.sign(claims, '', { algorithm: 'none' })"),
    ],
    good: [
      "jwt.verify(token, key, { algorithms: ['RS256'] })",
      'jwt.verify(token, key)',
      "paint({ algorithm: 'none' })",
    ],
  },
  'js/hardcoded-credential': {
    bad: [
      bad(`const client = connect('${githubToken}')`),
      bad(`const key = "${awsKey}"`),
      bad(`const pem = \`-----BEGIN RSA PRIVATE KEY-----\n${'MIIEpAIBAAKCAQEA'.repeat(4)}\``),
    ],
    good: [
      "const key = 'AKIAIOSFODNN7EXAMPLE'",
      'const key = process.env.API_KEY',
      "if (text.includes('-----BEGIN PRIVATE KEY-----')) go()",
      "const password = 'password'",
    ],
  },
  'js/cookie-http-only-off': {
    bad: [
      bad("res.cookie('sid', id, { httpOnly: false })", "res.cookie('sid', id, { httpOnly: true })"),
      bad('session({ cookie: { httpOnly: false } })', 'session({ cookie: { httpOnly: true } })'),
    ],
    good: [
      "res.cookie('sid', id, { httpOnly: true })",
      "res.cookie('csrf-token', id, { httpOnly: false })",
      'const defaults = { httpOnly: false }',
    ],
  },
  'js/new-buffer': {
    bad: [
      bad("const a = new Buffer('text')", "const a = Buffer.from('text')"),
      bad("const a = new Buffer(body, 'base64')", "const a = Buffer.from(body, 'base64')"),
      bad('const a = new Buffer(16)', 'const a = Buffer.alloc(16)'),
      bad('const a = new Buffer(input)'),
    ],
    good: ["Buffer.from('text')", 'Buffer.alloc(16)', 'new BufferedReader(input)'],
  },
  'js/weak-cipher': {
    bad: [
      bad("crypto.createCipheriv('aes-128-ecb', key, null)"),
      bad("createDecipheriv('des-ede3-cbc', key, iv)"),
      bad("createCipheriv('rc4', key, '')"),
    ],
    good: [
      "createCipheriv('aes-256-gcm', key, iv)",
      'createCipheriv(algorithm, key, iv)',
      "createHash('sha256')",
    ],
  },
  'js/weak-password-hash': {
    bad: [
      bad("crypto.createHash('md5').update(user.password).digest('hex')"),
      bad("createHash('sha1').update(resetToken)"),
    ],
    good: [
      "createHash('md5').update(fileContent).digest('hex')",
      "createHash('sha256').update(token)",
      "createHmac('sha1', key).update(token)",
    ],
  },
})
