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
  'js/sql-injection': {
    bad: [
      bad('await db.query(`SELECT * FROM users WHERE id = ${id}`)'),
      bad("client.query('delete from users where name = \\'' + name + '\\'')"),
      bad('db.prepare(`\n  UPDATE users SET name = ${name}\n`)'),
    ],
    good: [
      "db.query('SELECT * FROM users WHERE id = $1', [id])",
      'db.query(sql`SELECT * FROM users WHERE id = ${id}`)',
      'db.query(`SELECT * FROM ${TABLE} WHERE id = ?`, [id])',
      "db.query(`SELECT * FROM users WHERE id IN (${ids.map(() => '?').join()})`, ids)",
      'cache.get(`user ${id}`)',
      "db.query('SELECT a FROM b ' + 'WHERE c = 1')",
    ],
  },
})
