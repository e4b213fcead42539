import { bad, testRules } from '../../../../../test/fixtures/rule-table.ts'
import { securityRules } from './security.ts'

testRules(securityRules, {
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
      'const request = { nonce: Math.random().toString() }',
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
      'router.use(authenticationMiddleware({ rejectUnauthorized: false, cookies: true }))',
      'if (options.insecure) https.request({ rejectUnauthorized: false })',
      "const tls = ssl === 'prefer' ? { rejectUnauthorized: false } : {}",
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
  'js/sql-injection': {
    bad: [
      bad('app.get("/", (req) => db.query(`SELECT * FROM users WHERE id = ${req.query.id}`))'),
      bad(
        "const f = (req) => { const { name, id } = req.body; return client.query('delete from users where name = \\'' + name + '\\'') }",
      ),
      bad(
        'const f = async (ctx) => { const name = ctx.params.name; db.prepare(`\n  UPDATE users SET name = ${name}\n`) }',
      ),
    ],
    good: [
      "db.query('SELECT * FROM users WHERE id = $1', [req.query.id])",
      'db.query(sql`SELECT * FROM users WHERE id = ${req.query.id}`)',
      'const f = (req) => db.query(`SELECT * FROM users WHERE id = ${Number(req.query.id)}`)',
      'db.query(`SELECT count(*) FROM ${statement.tableName} WHERE id = ?`, [id])',
      "db.query(`SELECT * FROM users WHERE id IN (${ids.map(() => '?').join()})`, ids)",
      'cache.get(`user ${req.query.id}`)',
      "db.query('SELECT a FROM b ' + 'WHERE c = 1')",
    ],
  },
  'js/shell-injection': {
    bad: [
      bad("const { exec } = require('child_process')\napp.get('/', (req) => exec(`ping ${req.query.host}`))"),
      bad(
        "const cp = require('child_process')\nconst f = (req) => { const host = req.body.host; cp.execSync('ping ' + host) }",
      ),
    ],
    good: [
      "const { exec } = require('child_process')\nexec(`ping ${host}`)",
      "const { execFile } = require('child_process')\nconst f = (req) => execFile('ping', [req.query.host])",
      "require('child_process')\nconst f = (req) => /a/.exec(req.query.host)",
    ],
  },
  'js/code-injection': {
    bad: [
      bad('const f = (req) => eval(req.body.code)'),
      bad("const f = (req) => new Function('return ' + req.query.sum)"),
    ],
    good: ["eval('1 + 1')", 'eval(`(${serialized})`)', 'const f = (req) => JSON.parse(req.body.code)'],
  },
})
