import { parseSeverity } from '../../../../model/issue/severity.ts'
import type { JsonFields, JsonRecord } from '../../json/json-fields.ts'
import { isObjectWith, problemDocument, tool } from '../../reading/read-problems.ts'
import type { ReportedProblem } from '../../reading/reported-problem.ts'
import type { ReportReader } from '../../reading/report-format.ts'

const pageOf = (item: JsonRecord, fields: JsonFields): readonly string[] => {
  const page = fields.text(item, 'PrimaryURL')
  return page === null ? [] : [page]
}

function readVulnerability(item: JsonRecord, fields: JsonFields): Omit<ReportedProblem, 'source' | 'path'> {
  const name = fields.text(item, 'PkgName') ?? 'a package'
  const [installed, fixed] = [fields.text(item, 'InstalledVersion') ?? '', fields.text(item, 'FixedVersion')]
  const id = fields.name(item, 'VulnerabilityID')
  const title = `${name} ${installed}: ${fields.text(item, 'Title') ?? id ?? 'vulnerable'}`
  return {
    title,
    message: `${title}\n\n${fields.text(item, 'Description') ?? ''}`,
    rule: id,
    severity: parseSeverity(fields.text(item, 'Severity')),
    category: 'security',
    line: null,
    endLine: null,
    suggestion: fixed ? `Update ${name} to ${fixed}.` : null,
    references: [...pageOf(item, fields), ...fields.list(item, 'CweIDs').map(String)],
    marks: [`fingerprint trivy ${id} ${name}`],
  }
}

function readMisconfiguration(
  item: JsonRecord,
  fields: JsonFields,
): Omit<ReportedProblem, 'source' | 'path'> | null {
  if ((fields.text(item, 'Status') ?? 'FAIL') !== 'FAIL') return null
  const cause = fields.child(item, 'CauseMetadata')
  return {
    title: fields.text(item, 'Title') ?? '',
    message: `${fields.text(item, 'Message') ?? ''}\n\n${fields.text(item, 'Description') ?? ''}`,
    rule: fields.name(item, 'ID') ?? fields.name(item, 'AVDID'),
    severity: parseSeverity(fields.text(item, 'Severity')),
    category: 'security',
    line: cause?.['StartLine'],
    endLine: cause?.['EndLine'],
    suggestion: fields.text(item, 'Resolution'),
    references: pageOf(item, fields),
  }
}

/** The secret itself is not taken. */
const readSecret = (item: JsonRecord, fields: JsonFields): Omit<ReportedProblem, 'source' | 'path'> => ({
  message: fields.text(item, 'Title') ?? 'A secret',
  rule: fields.name(item, 'RuleID'),
  severity: parseSeverity(fields.text(item, 'Severity')),
  category: 'security',
  line: item['StartLine'],
  endLine: item['EndLine'],
})

/** Reads `trivy --format json`: vulnerable packages, misconfigurations and secrets. */
export const trivyReader: ReportReader = {
  recognise: (beginning) =>
    isObjectWith(beginning, 'SchemaVersion', 'ArtifactName') ||
    isObjectWith(beginning, 'SchemaVersion', 'Results'),
  read: problemDocument(
    { fields: { Results: { items: 'take' } } },
    {
      title: 'JSON of Trivy',
      hint: 'Trivy writes it with --format json.',
      read: (result, { fields }) => {
        const problems = [
          ...fields.children(result, 'Vulnerabilities').map((item) => readVulnerability(item, fields)),
          ...fields.children(result, 'Misconfigurations').map((item) => readMisconfiguration(item, fields)),
          ...fields.children(result, 'Secrets').map((item) => readSecret(item, fields)),
        ]
        return problems
          .filter((problem) => problem !== null)
          .map((problem) => ({ ...problem, source: tool('trivy'), path: fields.text(result, 'Target') }))
      },
    },
  ),
}
