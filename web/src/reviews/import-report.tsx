import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { ImportPreview } from '../../../src/model/api/repositories.ts'
import { api } from '../api/client.ts'
import { StatusBadge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { formatNumber, plural } from '../ui/format.ts'
import { Loading } from '../ui/states.tsx'
import { useStable } from '../ui/use-stable.ts'
import { toast } from '../ui/toasts.tsx'
import { Prose } from '../ui/prose.tsx'
import { visible } from '../ui/visible.ts'

/** Takes the reports of other tools, one after another, chosen or dropped anywhere on the page, and previews the effect of each before it is stored. */
export function ImportReport({ repositoryId }: { readonly repositoryId: string }) {
  const input = useRef<HTMLInputElement>(null)
  const [files, setFiles] = useState<readonly File[]>([])
  const [at, setAt] = useState(0)
  const add = useStable((more: FileList | null = null) => {
    const added = [...(more ?? [])]
    setFiles((before) => [...before, ...added])
  })
  const isOver = useDrop(add)
  const file = files[at]
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        aria-label="Report to import"
        className="hidden"
        onChange={({ target }) => {
          add(target.files)
          target.value = ''
        }}
      />
      <Button onClick={() => input.current?.click()}>Import</Button>
      {isOver && (
        <div className="pointer-events-none fixed inset-3 z-40 grid place-items-center rounded-xl border-2 border-dashed border-accent bg-surface/90">
          <p className="text-center text-[15px] font-semibold">
            Drop a report to import it
            <span className="block text-[13px] font-normal text-muted">
              SARIF, ESLint, JUnit, reviewdog and others; nothing is stored before you have seen what it does
            </span>
          </p>
        </div>
      )}
      {file && (
        <ImportDialog
          key={at}
          repositoryId={repositoryId}
          file={file}
          after={files.length - at - 1}
          onClose={() => setAt(at + 1)}
        />
      )}
    </>
  )
}

/** Whether files are held over the page; hands them on when they are dropped. */
function useDrop(onDrop: (files: FileList | undefined) => void): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    const hasFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false
    const over = (event: DragEvent) => {
      if (!hasFile(event)) return
      event.preventDefault()
      setOver(true)
    }
    const drop = (event: DragEvent) => {
      if (!hasFile(event)) return
      event.preventDefault()
      setOver(false)
      onDrop(event.dataTransfer?.files)
    }
    addEventListener('dragover', over, { signal })
    addEventListener('drop', drop, { signal })
    addEventListener('dragleave', ({ relatedTarget }) => relatedTarget === null && setOver(false), { signal })
    return () => leaving.abort()
  }, [onDrop])
  return isOver
}

interface DialogProps {
  readonly repositoryId: string
  readonly file: File
  /** How many reports come after this one. */
  readonly after: number
  readonly onClose: () => void
}

function ImportDialog({ repositoryId, file, after, onClose }: DialogProps) {
  const preview = useMutation({ mutationFn: () => api.previewImport(repositoryId, file, file.name) })
  const { mutate: look } = preview
  useEffect(() => look(), [look])
  const store = useMutation({
    mutationFn: () => api.importFindings(repositoryId, file, file.name),
    onSuccess: ({ issues_created, issues_updated }) => {
      toast(`${plural(issues_created, 'new issue')}, ${formatNumber(issues_updated)} updated`)
      onClose()
    },
  })
  const { data } = preview
  const isFutile = data !== undefined && data.issues_created + data.issues_updated === 0
  return (
    <FormDialog
      title={`Import ${visible(file.name)}`}
      act={store.isPending ? 'Importing…' : isFutile ? 'Import all the same' : 'Import'}
      look="primary"
      isReady={data !== undefined && !store.isPending}
      error={preview.error ?? store.error}
      onClose={onClose}
      onSubmit={() => store.mutate()}
    >
      {preview.isPending && <Loading rows={3} />}
      {data && <Expected preview={data} />}
      {after > 0 && <p className="text-xs text-muted">Then {plural(after, 'more report')}.</p>}
    </FormDialog>
  )
}

/** The effect of the import, with the numbers first. */
function Expected({ preview }: { readonly preview: ImportPreview }) {
  const counts = [
    { name: 'new', count: preview.issues_created },
    { name: 'updated', count: preview.issues_updated },
    { name: 'unchanged', count: preview.issues_unchanged },
  ]
  const tools = preview.tools.map(({ name }) => visible(name)).join(', ')
  return (
    <>
      <p className="text-muted">
        {plural(preview.findings, 'finding')} by {tools || 'nobody'} ({preview.format})
      </p>
      <dl className="grid grid-cols-3 gap-2" aria-label="What the import would do">
        {counts.map(({ name, count }) => (
          <div key={name} className="rounded-md bg-sunken px-3 py-2">
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="text-lg font-semibold tabular-nums">{formatNumber(count)}</dd>
          </div>
        ))}
      </dl>
      {preview.incomplete.map((why) => (
        <p key={why} className="text-warn wrap-anywhere">
          {visible(why)}
        </p>
      ))}
      {preview.examples.length > 0 && (
        <ul aria-label="New issues" className="flex flex-col gap-1">
          {preview.examples.map(({ title, severity, file }) => (
            <li key={`${file}${title}`} className="flex items-baseline gap-3">
              <span className="w-16 shrink-0">
                <StatusBadge status={severity} />
              </span>
              <span className="min-w-0 flex-1 truncate">
                <Prose text={title} />
              </span>
              <span className="max-w-40 truncate font-mono text-xs text-muted">{visible(file ?? '')}</span>
            </li>
          ))}
          {preview.issues_created > preview.examples.length && (
            <li className="text-xs text-muted">
              and {formatNumber(preview.issues_created - preview.examples.length)} more
            </li>
          )}
        </ul>
      )}
    </>
  )
}
