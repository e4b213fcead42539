import { cleanText, titleOf } from '../issue/finding-text.ts'
import { writtenFinding, type WrittenFinding } from '../issue/finding.ts'
import { parseSeverity } from '../issue/severity.ts'
import { placePath } from '../repository-path.ts'

/** As much of a thread as becomes a finding. */
export interface ThreadText {
  readonly path: string
  readonly line: number | null
  readonly startLine: number | null
  readonly comments: readonly { readonly author: string; readonly body: string; readonly url: string }[]
}

/** An open thread of a pull request as a finding: what was asked for first, and all that was said. */
export function findingOfThread({ path, line, startLine, comments }: ThreadText): WrittenFinding | null {
  const [first] = comments
  if (!first) return null
  const said = withoutMarks(first.body)
  const { severity, note } = parseSeverity(
    /^\W*(critical|major|minor|info|high|medium|low)\b/i.exec(said)?.[1],
  )
  return writtenFinding({
    source: { kind: 'person', name: first.author },
    title: titleOf(withoutSuggestion(said)) || 'a review comment',
    description: cleanText(
      comments.map(({ author, body }) => `${author}: ${withoutMarks(body)}`).join('\n\n'),
    ),
    severity,
    severity_note: note,
    category: 'review',
    ...placeIn(path, startLine ?? line, line),
    suggested_fix: /```suggestion[^\n]*\n([^]*?)\n?```/.exec(said)?.[1] ?? null,
    references: [first.url],
  })
}

/** What a code scanner reported to the forge. */
export interface ScanAlert {
  readonly tool: string
  readonly rule: string
  readonly title: string
  readonly message: string
  readonly severity: string | null
  readonly path: string
  readonly line: number | null
  readonly endLine: number | null
  readonly url: string
}

/** An alert of a code scanner as a finding. */
export function findingOfAlert(alert: ScanAlert): WrittenFinding {
  const { severity, note } = parseSeverity(alert.severity)
  return writtenFinding({
    source: { kind: 'tool', name: alert.tool },
    rule: cleanText(alert.rule, 200),
    title: titleOf(alert.title),
    description: cleanText(alert.message || alert.title),
    severity,
    severity_note: note,
    category: 'security',
    ...placeIn(alert.path, alert.line, alert.endLine),
    references: [alert.url],
  })
}

function placeIn(
  path: string,
  line: number | null,
  end: number | null,
): Pick<WrittenFinding, 'file' | 'line' | 'end_line' | 'place_note'> {
  const placed = placePath(path, '/')
  if (!('path' in placed)) return { file: null, line: null, end_line: null, place_note: placed.refused }
  const first = line !== null && line > 0 ? line : null
  return {
    file: placed.path,
    line: first,
    end_line: first === null ? null : Math.max(first, end ?? first),
    place_note: null,
  }
}

const withoutMarks = (text: string): string => text.replaceAll(/<!--[^]*?-->/g, '').trim()
const withoutSuggestion = (text: string): string => text.replace(/```suggestion[^]*?```/g, '').trim()

/** The number of the pull request and the comment that a reference names, on the repository at `url`. */
export function threadOfReference(
  reference: string,
  url: string,
): { readonly pull: number; readonly comment: number } | null {
  if (!reference.startsWith(`${url}/pull/`)) return null
  const found = /^\/pull\/(\d+)(?:\/files)?#discussion_r(\d+)$/.exec(reference.slice(url.length))
  return found ? { pull: Number(found[1]), comment: Number(found[2]) } : null
}
