import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { PullRequestRow, VotesOutcome } from '../../../src/model/api/pull-requests.ts'
import { api } from '../api/client.ts'
import { pullsQuery } from '../api/queries.ts'
import { StatusBadge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog, FormDialog } from '../ui/dialog.tsx'
import { formatScore } from '../ui/format.ts'
import { visible } from '../ui/visible.ts'

interface Props {
  readonly pull: PullRequestRow
  readonly repositoryId: string
  readonly onClose: () => void
}

/** Asks agents for independent votes, and shows the answer of each. */
export function VoteDialog({ pull, repositoryId, onClose }: Props) {
  const queries = useQueryClient()
  const [isPosted, setIsPosted] = useState(false)
  const vote = useMutation({
    mutationFn: () =>
      api.votePullRequest({
        repository_id: repositoryId,
        pull_request: String(pull.number),
        post: isPosted,
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: pullsQuery(repositoryId).queryKey }),
  })
  if (vote.data) return <Votes outcome={vote.data} onClose={onClose} />
  return (
    <FormDialog
      title={`Votes on #${pull.number}`}
      act={vote.isPending ? 'Agents vote…' : 'Let agents vote'}
      look="primary"
      isReady={!vote.isPending}
      error={vote.error}
      onClose={onClose}
      onSubmit={() => vote.mutate()}
    >
      <p className="text-muted">
        Every reviewer looks at the change alone and gives a score. It takes minutes and costs what agents
        cost; it goes on when this page is closed, and the list shows what came of it until the server is
        restarted.
      </p>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          className="accent-solid"
          checked={isPosted}
          onChange={({ target }) => setIsPosted(target.checked)}
        />
        Post it as one review on the forge, where it stays
      </label>
    </FormDialog>
  )
}

const Votes = ({ outcome, onClose }: { readonly outcome: VotesOutcome; readonly onClose: () => void }) => (
  <Dialog title={`Votes on #${outcome.number}`} onClose={onClose}>
    <p className="flex flex-wrap items-baseline gap-x-3">
      <StatusBadge status={outcome.status} />
      <span className="min-w-0 wrap-anywhere">{visible(outcome.reason)}</span>
    </p>
    <ul aria-label="Votes" tabIndex={0} className="flex max-h-[50vh] flex-col divide-y overflow-y-auto">
      {outcome.votes.map(({ agent, model, score, summary, missing }, index) => (
        <li key={index} className="flex gap-3 py-2">
          <span className="w-10 shrink-0 text-right font-semibold">
            {score === null ? '–' : formatScore(score)}
          </span>
          <span className="min-w-0 wrap-anywhere">
            <span className="text-muted">
              {agent}
              {model !== null && ` (${model})`}
            </span>{' '}
            {visible(score === null ? (missing ?? 'no answer') : summary)}
          </span>
        </li>
      ))}
      {outcome.blocking.map(({ title, severity, file, line, confirmed_by }, index) => (
        <li key={`against ${index}`} className="flex gap-3 py-2">
          <span className="w-10 shrink-0" />
          <span className="min-w-0 wrap-anywhere">
            <StatusBadge status={severity} /> {visible(title)}
            {file !== null && (
              <span className="ml-2 font-mono text-xs text-muted">
                {visible(file)}
                {line !== null && `:${line}`}
              </span>
            )}
            <span className="block text-xs text-muted">confirmed by {visible(confirmed_by)}</span>
          </span>
        </li>
      ))}
    </ul>
    <Button className="self-end" onClick={onClose}>
      Close
    </Button>
  </Dialog>
)
