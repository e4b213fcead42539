/** The script that anyone would write in an hour: the peer of `fixpoint import`. `node naive-import.js REPORT DATABASE` */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/**
 * @typedef {{ artifactLocation: { uri: string }, region: { startLine: number } }} Place
 * @typedef {{ ruleId: string, level: string, message: { text: string }, locations: [{ physicalLocation: Place }] }} Result
 */

const [report = '', database = ''] = process.argv.slice(2)
const sarif = /** @type {{ runs: { results: Result[] }[] }} */ (JSON.parse(readFileSync(report, 'utf8')))

/** @type {Map<string, { place: Place, results: Result[] }>} */
const issues = new Map()
for (const result of sarif.runs.flatMap((run) => run.results)) {
  const place = result.locations[0].physicalLocation
  const identity = `${result.ruleId}\0${place.artifactLocation.uri}\0${result.message.text}`
  const fingerprint = createHash('sha256').update(identity).digest('hex')
  const known = issues.get(fingerprint)
  if (known) known.results.push(result)
  else issues.set(fingerprint, { place, results: [result] })
}

const db = new DatabaseSync(database)
db.exec('pragma journal_mode = wal')
db.exec('create table issue (id integer primary key, fingerprint text unique, file text, data text)')
const insert = db.prepare('insert into issue (fingerprint, file, data) values (?, ?, ?)')
db.exec('begin')
for (const [fingerprint, issue] of issues)
  insert.run(fingerprint, issue.place.artifactLocation.uri, JSON.stringify(issue))
db.exec('commit')
db.close()
console.log(issues.size)
