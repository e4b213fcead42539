import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { api } from '../api/client.ts'
import { plural } from '../ui/format.ts'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/states.tsx'

/** Sends a report of another tool to the server, as it is. */
export function ImportButton({ repositoryId }: { readonly repositoryId: string }) {
  const input = useRef<HTMLInputElement>(null)
  const load = useMutation({ mutationFn: (file: File) => api.importFindings(repositoryId, file, file.name) })
  return (
    <div className="flex items-center gap-3">
      <Problem error={load.error} />
      {load.data && (
        <span role="status" className="text-xs text-muted">
          {plural(load.data.findings, 'finding')} read, {load.data.issues_created} new
        </span>
      )}
      <input
        ref={input}
        type="file"
        aria-label="Report to import"
        className="hidden"
        onChange={({ target }) => {
          const file = target.files?.[0]
          if (file) load.mutate(file)
          target.value = ''
        }}
      />
      <Button disabled={load.isPending} onClick={() => input.current?.click()}>
        {load.isPending ? 'Importing…' : 'Import'}
      </Button>
    </div>
  )
}
