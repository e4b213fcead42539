import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { PullRequestRow } from '../../../src/model/api/pull-requests.ts'
import { pullsQuery } from '../api/queries.ts'
import { plural } from '../ui/format.ts'
import { Card, PageBody, PageHead } from '../ui/layout.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { PullItem } from './pull-item.tsx'
import { VoteDialog } from './vote-dialog.tsx'

/** The open pull requests of a repository; those of its sessions come first. */
export function PullsPage() {
  const { repositoryId } = useParams({ from: '/r/$repositoryId/pull-requests' })
  const query = useQuery(pullsQuery(repositoryId))
  // The number of waiting conversations is asked for later, because each pull request needs a request to the forge.
  const detailed = useQuery({ ...pullsQuery(repositoryId, 'detailed'), enabled: query.isSuccess })
  const [voted, setVoted] = useState<PullRequestRow | null>(null)
  const listed = query.data?.pull_requests ?? []
  const threads = new Map(
    detailed.data?.pull_requests.map(({ number, open_threads }) => [number, open_threads]),
  )
  const shown = listed
    .map((pull) => ({ ...pull, open_threads: threads.get(pull.number) }))
    .toSorted((a, b) => Number(b.session_id !== null) - Number(a.session_id !== null) || b.number - a.number)
  return (
    <>
      <PageHead
        title="Pull requests"
        note={
          query.data?.repository &&
          `${plural(listed.length, 'open pull request')} of ${query.data.repository}`
        }
      />
      <PageBody>
        <Shown query={query}>
          {({ repository }) =>
            repository === null ? (
              <Empty title="This repository is not on GitHub">
                Add its address on GitHub as the remote “origin”, or set github.repository.
              </Empty>
            ) : shown.length === 0 ? (
              <Empty title="No pull request is open">
                A session that landed something offers to create one.
              </Empty>
            ) : (
              <Card padded={false}>
                <ul aria-label="Pull requests" className="divide-y">
                  {shown.map((pull) => (
                    <PullItem
                      key={pull.number}
                      pull={pull}
                      repositoryId={repositoryId}
                      onVote={() => setVoted(pull)}
                    />
                  ))}
                </ul>
              </Card>
            )
          }
        </Shown>
        {voted && <VoteDialog pull={voted} repositoryId={repositoryId} onClose={() => setVoted(null)} />}
      </PageBody>
    </>
  )
}
