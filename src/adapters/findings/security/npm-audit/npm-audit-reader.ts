import { cutText } from '../../../../model/issue/finding-text.ts'
import { parseSeverity } from '../../../../model/issue/severity.ts'
import type { JsonFields, JsonRecord } from '../../json/json-fields.ts'
import { isObjectWith, problemDocument, tool, type ReadProblems } from '../../reading/read-problems.ts'
import type { ReportedProblem } from '../../reading/reported-problem.ts'
import type { ReportReader } from '../../reading/report-format.ts'

/** What is vulnerable is locked there. */
const lockFile = 'package-lock.json'

/** Each advisory once, at the package that it is about; packages that only depend on one are named by it. */
function readPackage(entry: JsonRecord, fields: JsonFields): readonly ReportedProblem[] {
  const name = fields.text(entry, 'name') ?? 'a package'
  const advisories = fields
    .list(entry, 'via')
    .filter((via) => typeof via === 'object' && via !== null) as readonly JsonRecord[]
  return advisories.map((via) => {
    const url = fields.text(via, 'url')
    const title = `${name}: ${fields.text(via, 'title') ?? 'vulnerable'}`
    const effects = fields.list(entry, 'effects').map(String)
    return {
      source: tool('npm-audit'),
      title,
      message: `${title}\n\nVersions ${fields.text(via, 'range') ?? ''} are vulnerable.${effects.length > 0 ? ` It is brought by ${effects.join(', ')}.` : ''}`,
      rule: url?.replace(/^.*\//, '') ?? null,
      severity: parseSeverity(fields.text(via, 'severity')),
      category: 'security',
      path: lockFile,
      line: null,
      endLine: null,
      suggestion: fixOf(entry, name),
      references: [...(url === null ? [] : [url]), ...fields.list(via, 'cwe').map(String)],
      marks: [`fingerprint npm-audit ${url ?? title} ${name}`],
    }
  })
}

function fixOf({ fixAvailable }: JsonRecord, name: string): string | null {
  if (fixAvailable === true) return `Run npm audit fix, or update ${name}.`
  if (typeof fixAvailable !== 'object' || fixAvailable === null) return null
  const fix = fixAvailable as JsonRecord
  return `Update ${String(fix['name'])} to ${String(fix['version'])}${fix['isSemVerMajor'] === true ? ', which is a major update' : ''}.`
}

/** An advisory as npm 6 wrote it. */
function readAdvisory(advisory: JsonRecord, fields: JsonFields): readonly ReportedProblem[] {
  const name = fields.text(advisory, 'module_name') ?? 'a package'
  const url = fields.text(advisory, 'url')
  return [
    {
      source: tool('npm-audit'),
      title: `${name}: ${fields.text(advisory, 'title') ?? 'vulnerable'}`,
      message: `${name}: ${fields.text(advisory, 'title') ?? 'vulnerable'}\n\n${fields.text(advisory, 'overview') ?? ''}`,
      rule: fields.text(advisory, 'github_advisory_id') ?? url?.replace(/^.*\//, '') ?? null,
      severity: parseSeverity(fields.text(advisory, 'severity')),
      category: 'security',
      path: lockFile,
      line: null,
      endLine: null,
      suggestion: fields.text(advisory, 'recommendation'),
      references: url === null ? [] : [url],
    },
  ]
}

const read: ReadProblems = (part, { fields, path, context }) => {
  if (path[0] === 'error') {
    const said = [fields.text(part, 'summary'), fields.text(part, 'detail')].find(Boolean) ?? ''
    throw context.fail(
      `holds no audit: npm ${said === '' ? 'failed, and does not say why' : `says "${cutText(said, 200)}"`}`,
      'Mend that, and run npm audit --json again.',
    )
  }
  return Object.values(part).flatMap((entry) => {
    const one = fields.object(entry, String(path[0]))
    return path[0] === 'vulnerabilities' ? readPackage(one, fields) : readAdvisory(one, fields)
  })
}

/** Reads `npm audit --json`. */
export const npmAuditReader: ReportReader = {
  recognise: (beginning) =>
    isObjectWith(beginning, 'auditReportVersion') ||
    isObjectWith(beginning, 'advisories', 'metadata') ||
    (isObjectWith(beginning, 'error') && /"error"\s*:\s*\{\s*"(?:code|summary)"/.test(beginning.text)),
  read: problemDocument(
    { fields: { vulnerabilities: 'take', advisories: 'take', error: 'take' } },
    { title: 'JSON of npm audit', hint: 'npm writes it with npm audit --json.', read },
  ),
}
