import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SessionDetail } from '../../../src/model/api/sessions.ts'
import { api } from '../api/client.ts'
import { pullsQuery } from '../api/queries.ts'
import { ForgeLink } from '../pulls/forge-link.tsx'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { toast } from '../ui/toasts.tsx'

/** Leads to the session's pull request, or offers to create one. */
export function PullRequestAction({ session }: { readonly session: SessionDetail }) {
  const { session_id: id, repository_id: repositoryId } = session
  const queries = useQueryClient()
  const [isAsking, setIsAsking] = useState(false)
  const { data } = useQuery({ ...pullsQuery(repositoryId), retry: false, staleTime: 300_000 })
  const create = useMutation({
    mutationFn: (terms: Parameters<typeof api.createPullRequest>[1]) => api.createPullRequest(id, terms),
    onSuccess: ({ number, created, warnings }) => {
      setIsAsking(false)
      toast(`Pull request #${number} is ${created ? 'open' : 'up to date'}`)
      for (const warning of warnings) toast(warning)
      return queries.invalidateQueries({ queryKey: pullsQuery(repositoryId).queryKey })
    },
  })
  const known = data?.pull_requests.find(({ session_id }) => session_id === id)
  if (data?.repository === null) return null
  const pull = create.data?.url ? { number: create.data.number, url: create.data.url } : known
  return (
    <>
      {pull && <ForgeLink url={pull.url}>Pull request #{pull.number}</ForgeLink>}
      {!pull && <Button onClick={() => setIsAsking(true)}>Create pull request…</Button>}
      {isAsking && (
        <CreateDialog
          session={session}
          isBusy={create.isPending}
          error={create.error}
          onClose={() => setIsAsking(false)}
          onCreate={create.mutate}
        />
      )}
    </>
  )
}

interface DialogProps {
  readonly session: SessionDetail
  readonly isBusy: boolean
  readonly error: unknown
  readonly onClose: () => void
  readonly onCreate: (terms: { base?: string; title?: string; draft: boolean }) => void
}

function CreateDialog({ session, isBusy, error, onClose, onCreate }: DialogProps) {
  const [title, setTitle] = useState('')
  const [base, setBase] = useState('')
  const [isDraft, setIsDraft] = useState(true)
  const given = (text: string): string | undefined => text.trim() || undefined
  return (
    <FormDialog
      title="Create a pull request"
      act={isBusy ? 'Pushing…' : 'Push and create'}
      look="primary"
      isReady={!isBusy}
      error={error}
      onClose={onClose}
      onSubmit={() => {
        const [asked, into] = [given(title), given(base)]
        onCreate({ draft: isDraft, ...(asked && { title: asked }), ...(into && { base: into }) })
      }}
    >
      <p className="text-muted">
        The branch and its evidence are pushed, nothing is forced. The text says what was fixed, how it is
        proven and what is left.
      </p>
      <TextField
        label="Title"
        placeholder="made from what landed"
        value={title}
        onChange={({ target }) => setTitle(target.value)}
      />
      <TextField
        label="Into"
        placeholder={session.base_branch ?? 'the default branch'}
        value={base}
        onChange={({ target }) => setBase(target.value)}
      />
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          className="accent-solid"
          checked={isDraft}
          onChange={({ target }) => setIsDraft(target.checked)}
        />
        As a draft
      </label>
    </FormDialog>
  )
}
