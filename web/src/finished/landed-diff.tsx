import { useQuery } from '@tanstack/react-query'
import { diffQuery } from '../api/queries.ts'
import { DiffView } from '../diff/diff-view.tsx'
import { Card } from '../ui/layout.tsx'
import { Empty, Shown } from '../ui/states.tsx'

/** Everything that landed on the branch so far. */
export function LandedDiff({ sessionId }: { readonly sessionId: string }) {
  const query = useQuery(diffQuery(sessionId))
  return (
    <Shown query={query}>
      {(diff) =>
        diff.trim() === '' ? (
          <Empty title="Nothing has landed yet">
            Patches are shown here once they are verified on the branch.
          </Empty>
        ) : (
          <Card title="What landed">
            <DiffView diff={diff} />
          </Card>
        )
      }
    </Shown>
  )
}
