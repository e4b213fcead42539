import { useQuery } from '@tanstack/react-query'
import type { CodeExcerpt } from '../../../src/model/api/issues.ts'
import { codeQuery } from '../api/queries.ts'
import { CodeLine, useHighlighter } from '../diff/code-line.tsx'
import { shortSha } from '../ui/format.ts'
import { Card } from '../ui/layout.tsx'
import { Shown } from '../ui/states.tsx'
import { visible } from '../ui/visible.ts'

/** The code of an issue, with the flagged lines marked. */
export function Excerpt({ issueId }: { readonly issueId: string }) {
  const query = useQuery(codeQuery(issueId))
  return (
    <Shown query={query} rows={4}>
      {(code) => (
        <Card
          title={<span className="font-mono text-xs">{visible(code.file)}</span>}
          note={code.commit === '' ? '' : `at ${shortSha(code.commit)}`}
          padded={code.missing !== null}
        >
          {code.missing === null ? (
            <Lines code={code} />
          ) : (
            <p className="text-muted wrap-anywhere">{visible(code.missing)}</p>
          )}
        </Card>
      )}
    </Shown>
  )
}

function Lines({ code }: { readonly code: CodeExcerpt }) {
  const highlighter = useHighlighter()
  const isFlagged = (line: number): boolean =>
    code.flagged !== null && line >= code.flagged.line && line <= code.flagged.end_line
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label={`Code of ${visible(code.file)}`}
      className="overflow-x-auto py-2"
    >
      <table className="w-full border-collapse font-mono text-xs leading-5">
        <tbody>
          {code.lines.map((text, index) => {
            const line = code.first_line + index
            return (
              <tr
                key={line}
                className={isFlagged(line) ? 'bg-removed shadow-[inset_3px_0_0_var(--bad)]' : ''}
              >
                <td className="w-12 px-3 text-right text-muted select-none">
                  {line}
                  {isFlagged(line) && <span className="sr-only">flagged</span>}
                </td>
                <td className="pr-4 whitespace-pre">
                  <CodeLine text={text} path={code.file} highlighter={highlighter} />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
