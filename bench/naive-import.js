/** The script that anyone would write in an hour: the peer of `fixpoint import`. `node naive-import.js REPORT DATABASE` */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const [report = '', database = ''] = process.argv.slice(2)
const sarif = JSON.parse(readFileSync(report, 'utf8'))

const issues = new Map()
for (const run of sarif.runs) {
  for (const result of run.results) {
    const { artifactLocation, region } = result.locations[0].physicalLocation
    const place = `${result.ruleId}\0${artifactLocation.uri}\0${result.message.text}`
    const fingerprint = createHash('sha256').update(place).digest('hex')
    const known = issues.get(fingerprint)
    if (known) known.results.push(result)
    else
      issues.set(fingerprint, {
        fingerprint,
        tool: run.tool.driver.name,
        rule: result.ruleId,
        title: result.message.text,
        severity: result.level === 'error' ? 'major' : 'minor',
        file: artifactLocation.uri,
        line: region.startLine,
        results: [result],
      })
  }
}

const db = new DatabaseSync(database)
db.exec('pragma journal_mode = wal')
db.exec('create table issue (id integer primary key, fingerprint text unique, file text, severity text, data text)')
const insert = db.prepare('insert into issue (fingerprint, file, severity, data) values (?, ?, ?, ?)')
db.exec('begin')
for (const issue of issues.values())
  insert.run(issue.fingerprint, issue.file, issue.severity, JSON.stringify(issue))
db.exec('commit')
db.close()
console.log(issues.size)
