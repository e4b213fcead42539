import { useMemo, useState } from 'react'
import { formatNumber, plural } from '../ui/format.ts'
import { Button } from '../ui/button.tsx'
import { CodeLine, useHighlighter, type Highlighter } from './code-line.tsx'
import { parseDiff, type DiffFile, type DiffLine } from './parse-diff.ts'
import { visible } from '../ui/visible.ts'

/** A diff with more lines shows the rest on request, so that a page stays quick with every patch. */
const linesAtFirst = 1_500

export function DiffView({ diff }: { readonly diff: string }) {
  const files = useMemo(() => parseDiff(diff), [diff])
  if (files.length === 0) return <p className="text-muted">Nothing was changed.</p>
  const added = files.reduce((sum, file) => sum + file.added, 0)
  const removed = files.reduce((sum, file) => sum + file.removed, 0)
  return (
    <div className="flex flex-col gap-3">
      <p className="text-xs text-muted">
        {plural(files.length, 'file')} changed, {formatNumber(added)} added, {formatNumber(removed)} removed
      </p>
      {files.map((file) => (
        <FileDiff key={file.path} file={file} />
      ))}
    </div>
  )
}

function FileDiff({ file }: { readonly file: DiffFile }) {
  const highlighter = useHighlighter()
  const [isWhole, setIsWhole] = useState(false)
  const count = file.hunks.reduce((sum, { lines }) => sum + lines.length, 0)
  let left = isWhole ? Infinity : linesAtFirst
  return (
    <section aria-label={visible(file.path)} className="overflow-hidden rounded-md border">
      <h3 className="flex items-center gap-3 border-b bg-sunken px-3 py-1.5 font-mono text-xs">
        <span className="truncate font-medium">
          {file.from && `${visible(file.from)} → `}
          {visible(file.path)}
        </span>
        {file.change !== 'changed' && <span className="text-muted">{file.change}</span>}
        <span className="ml-auto whitespace-nowrap">
          <span className="text-ok">+{file.added}</span> <span className="text-bad">−{file.removed}</span>
        </span>
      </h3>
      <div
        tabIndex={0}
        role="region"
        aria-label={`Changes of ${visible(file.path)}`}
        className="overflow-x-auto bg-surface"
      >
        {file.isBinary && <p className="p-3 text-muted">A binary file.</p>}
        <table className="w-full border-collapse font-mono text-xs leading-5">
          <tbody>
            {file.hunks.map(({ head, lines }, index) => {
              const shown = lines.slice(0, Math.max(0, left))
              left -= lines.length
              return (
                <HunkRows key={index} head={head} lines={shown} path={file.path} highlighter={highlighter} />
              )
            })}
          </tbody>
        </table>
      </div>
      {count > linesAtFirst && !isWhole && (
        <div className="border-t p-2 text-center">
          <Button onClick={() => setIsWhole(true)}>Show all {formatNumber(count)} lines</Button>
        </div>
      )}
    </section>
  )
}

interface HunkProps {
  readonly head: string
  readonly lines: readonly DiffLine[]
  readonly path: string
  readonly highlighter: Highlighter
}

const looks: Readonly<Record<DiffLine['kind'], { row: string; sign: string; said: string }>> = {
  added: { row: 'bg-added', sign: '+', said: 'added' },
  removed: { row: 'bg-removed', sign: '−', said: 'removed' },
  same: { row: '', sign: ' ', said: '' },
  note: { row: 'text-muted', sign: ' ', said: '' },
}

function HunkRows({ head, lines, path, highlighter }: HunkProps) {
  if (lines.length === 0) return null
  return (
    <>
      <tr className="bg-sunken text-muted">
        <td colSpan={3} className="px-3 whitespace-pre">
          {head}
        </td>
      </tr>
      {lines.map((line, index) => (
        <tr key={index} className={looks[line.kind].row}>
          <td className="w-10 px-2 text-right text-muted select-none">{line.after ?? line.before ?? ''}</td>
          <td className="w-4 text-center select-none">
            {looks[line.kind].sign}
            {looks[line.kind].said !== '' && <span className="sr-only">{looks[line.kind].said}</span>}
          </td>
          <td className="pr-3 whitespace-pre">
            <CodeLine text={line.text} path={path} highlighter={highlighter} />
          </td>
        </tr>
      ))}
    </>
  )
}
