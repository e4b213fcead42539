import { storeFindings } from '../../loop/triage/store-findings.ts'
import type { NewIssue, TriagePart, TriageRequest } from '../../loop/ports.ts'
import type { IssueId } from '../../model/id.ts'
import type { ImportPreview } from '../../model/api/repositories.ts'
import { Severity } from '../../model/issue/severity.ts'
import type { App } from '../open-app.ts'
import { resolveBase } from '../resolve-base.ts'
import { readRequested, reviewOfReport, type ImportRequest } from './import-findings.ts'

const examplesShown = 5

/** Reads a report and says what keeping it would do to the issues there are; stores nothing. */
export async function previewImport(app: App, request: ImportRequest): Promise<ImportPreview> {
  const ports = await app.ports()
  const revision = await resolveBase(app)
  const report = await readRequested(app, request, revision)
  const review = await reviewOfReport(app, report, revision)
  let examples: readonly NewIssue[] = []
  const note = (created: readonly NewIssue[]): void => {
    examples = [...examples, ...created].toSorted(byUrgency).slice(0, examplesShown)
  }
  const triage = (asked: TriageRequest) =>
    ports.issues.previewTriage({ ...asked, parts: noting(asked.parts, note) })
  const { classes } = app.loaded.config
  const raised = new Set<IssueId>()
  const onRaised = (issues: readonly IssueId[]): void => issues.forEach((id) => raised.add(id))
  const { created, changed } = await storeFindings(
    { review, revision, findings: report.findings, classes, onRaised },
    { ...ports, issues: { triage } },
  )
  return {
    schema: 'fixpoint.import-preview.v1',
    format: report.format,
    incomplete: report.incomplete,
    tools: review.reviewers.map(({ agent, findings }) => ({ name: agent, findings })),
    findings: report.findings.length,
    issues_created: created,
    issues_updated: changed,
    issues_unchanged: raised.size - created - changed,
    examples: examples.map(({ title, severity, file }) => ({ title, severity, file })),
  }
}

const byUrgency = (a: NewIssue, b: NewIssue): number =>
  Severity.options.indexOf(a.severity) - Severity.options.indexOf(b.severity)

/** The same parts, whose plans tell which issues they would make. */
async function* noting(
  parts: TriageRequest['parts'],
  note: (created: readonly NewIssue[]) => void,
): AsyncGenerator<TriagePart> {
  for await (const part of parts)
    yield {
      ...part,
      plan(known, findings, voicesOf) {
        const planned = part.plan(known, findings, voicesOf)
        note(planned.created)
        return planned
      },
    }
}
