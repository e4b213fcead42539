import { bad, testRules } from '../../../../../../test/fixtures/rule-table.ts'
import { javascriptInjectionRules } from './injection.ts'

const childProcess = "import { exec, execSync, spawn } from 'node:child_process'\n"

testRules(javascriptInjectionRules, {
  'js/dynamic-code': {
    bad: [
      bad('const value = eval(input)'),
      bad("const run = new Function('a', `return ${expression}`)"),
      bad("setTimeout('tick()', 100)"),
      bad("window.setInterval('tick(' + id + ')', 100)"),
    ],
    good: [
      "const root = new Function('return this')()",
      'setTimeout(tick, 100)',
      'page.eval(input)',
      'setTimeout(() => tick(id))',
    ],
  },
  'js/html-injection': {
    bad: [
      bad('box.innerHTML = comment.text'),
      bad('this.box.outerHTML += `<b>${name}</b>`'),
      bad("list.insertAdjacentHTML('beforeend', row)"),
      bad('document.write(banner)'),
    ],
    good: [
      "box.innerHTML = ''",
      "box.innerHTML = open ? '<b>open</b>' : `<i>closed</i>`",
      'box.innerHTML = DOMPurify.sanitize(comment)',
      'box.textContent = comment',
      'const html = box.innerHTML',
    ],
  },
  'js/jsx-html-injection': {
    bad: [bad('const a = <div dangerouslySetInnerHTML={{ __html: comment.body }} />')],
    good: [
      "const a = <div dangerouslySetInnerHTML={{ __html: '<b>x</b>' }} />",
      'const a = <div dangerouslySetInnerHTML={{ __html: sanitize(comment) }} />',
      'const a = <script dangerouslySetInnerHTML={{ __html: JSON.stringify(data) }} />',
      'const a = <div title={comment} />',
    ],
    paths: ['a.js', 'a.jsx', 'a.tsx'],
  },
  'js/shell-injection': {
    bad: [
      bad(`${childProcess}execSync(\`git log \${branch}\`)`),
      bad(`${childProcess}exec('rm -r ' + folder, done)`),
      bad(`${childProcess}spawn(\`ls \${folder}\`, { shell: true })`),
      bad("const cp = require('child_process')\ncp.exec(`ls ${folder}`)"),
    ],
    good: [
      `${childProcess}exec('ls -l')`,
      `${childProcess}spawn(\`\${folder}/run\`, ['x'])`,
      `${childProcess}execSync(\`\${NODE_PATH} --version\`)`,
      'const found = pattern.exec(`a ${b}`)',
      'db.exec(`vacuum ${name}`)',
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
  'js/open-redirect': {
    bad: [bad('res.redirect(req.query.next)'), bad("res.redirect(302, req.body['url'])")],
    good: [
      "res.redirect('/home')",
      'res.redirect(safePath(req.query.next))',
      'res.redirect(`/users/${req.params.id}`)',
    ],
  },
})
