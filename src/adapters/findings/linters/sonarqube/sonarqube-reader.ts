import { parseSeverity } from '../../../../model/issue/severity.ts'
import type { JsonFields, JsonRecord } from '../../json/json-fields.ts'
import { problemDocument, tool, type ReadProblems } from '../../reading/read-problems.ts'
import type { ReportedProblem } from '../../reading/reported-problem.ts'
import type { ReportReader } from '../../reading/report-format.ts'

const kinds: Readonly<Record<string, string>> = {
  VULNERABILITY: 'security',
  SECURITY_HOTSPOT: 'security',
  BUG: 'correctness',
  CODE_SMELL: 'maintainability',
}
const closedStatuses = new Set(['CLOSED', 'RESOLVED', 'FIXED'])
const accepted = new Set(['ACCEPTED', 'FALSE_POSITIVE', 'WONTFIX', 'FALSE-POSITIVE'])

const read: ReadProblems = (issue, { fields }) => {
  const primary = fields.child(issue, 'primaryLocation')
  if (primary) return [readGeneric(issue, primary, fields)]
  const status = fields.text(issue, 'status') ?? ''
  const resolution = fields.text(issue, 'resolution') ?? fields.text(issue, 'issueStatus') ?? ''
  const isAccepted = accepted.has(resolution) || accepted.has(status)
  if (closedStatuses.has(status) && !isAccepted) return []
  const range = fields.child(issue, 'textRange')
  const offset = range && fields.integer(range, 'startOffset')
  const key = fields.text(issue, 'key')
  return [
    {
      source: tool('sonarqube'),
      message: fields.text(issue, 'message') ?? '',
      rule: fields.name(issue, 'rule'),
      severity: parseSeverity(fields.text(issue, 'severity')),
      category: kinds[fields.text(issue, 'type') ?? ''] ?? 'general',
      // A component is called `project:path`; a project's own key may have colons too.
      path:
        (fields.text(issue, 'component') ?? '').replace(`${fields.text(issue, 'project') ?? ''}:`, '') ||
        null,
      line: range?.['startLine'] ?? issue['line'],
      endLine: range?.['endLine'],
      column: offset === null ? null : offset + 1,
      suppressed: isAccepted ? `${resolution || status} in SonarQube` : null,
      ...(key && { marks: [`id ${key}`] }),
    },
  ]
}

/** An issue of the generic format, which other tools write for SonarQube. */
function readGeneric(issue: JsonRecord, primary: JsonRecord, fields: JsonFields): ReportedProblem {
  const range = fields.child(primary, 'textRange')
  const column = range && fields.integer(range, 'startColumn')
  return {
    source: tool(fields.name(issue, 'engineId') ?? 'sonarqube'),
    message: fields.text(primary, 'message') ?? '',
    rule: fields.name(issue, 'ruleId'),
    severity: parseSeverity(fields.text(issue, 'severity') ?? 'minor'),
    category: kinds[fields.text(issue, 'type') ?? ''] ?? 'general',
    path: fields.text(primary, 'filePath'),
    line: range?.['startLine'],
    endLine: range?.['endLine'],
    column: column === null ? null : column + 1,
  }
}

/** Reads what SonarQube answers at `api/issues/search`, and its generic format. */
export const sonarqubeReader: ReportReader = {
  recognise: ({ kind, keys, text }) =>
    kind === 'object' &&
    keys.includes('issues') &&
    (keys.includes('paging') ||
      keys.includes('effortTotal') ||
      /"primaryLocation"|"component"\s*:/.test(text)),
  read: problemDocument(
    { fields: { issues: { items: 'take' } } },
    { title: 'JSON of SonarQube', hint: 'SonarQube answers it at api/issues/search.', read },
  ),
}
