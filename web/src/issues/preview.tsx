import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { Issue } from '../../../src/model/issue/issue.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Prose } from '../ui/prose.tsx'
import { visible } from '../ui/visible.ts'
import { Excerpt } from './excerpt.tsx'

/** The diff is loaded when the first fixed issue is previewed: the list must not wait for it. */
const FixDiff = lazy(async () => ({ default: (await import('./fix-diff.tsx')).FixDiff }))

/** The issue beside the list: the problem, its code, and its fix. */
export function Preview({ issue, onClose }: { readonly issue: Issue; readonly onClose: () => void }) {
  return (
    <aside
      aria-label={`Preview of ${issue.code}`}
      tabIndex={0}
      className="flex w-[30rem] shrink-0 flex-col gap-3 overflow-y-auto border-l bg-bg p-4 max-lg:fixed max-lg:inset-y-0 max-lg:right-0 max-lg:z-30 max-lg:w-[min(30rem,100vw)] max-lg:shadow-2xl"
    >
      <div className="flex items-start gap-2">
        <h2 className="min-w-0 flex-1 font-semibold wrap-anywhere">
          <span className="mr-2 font-mono text-xs font-normal whitespace-nowrap text-muted">
            {issue.code}
          </span>
          <Prose text={issue.title} />
        </h2>
        <Button look="quiet" className="!px-2" aria-label="Close the preview" onClick={onClose}>
          <Icon name="close" />
        </Button>
      </div>
      <p className="max-h-60 overflow-y-auto whitespace-pre-wrap text-muted wrap-anywhere" tabIndex={0}>
        {visible(issue.description)}
      </p>
      <Excerpt issueId={issue.id} />
      {issue.fix_session_id !== null && (
        <Suspense>
          <FixDiff sessionId={issue.fix_session_id} code={issue.code} status={issue.status} />
        </Suspense>
      )}
      <Link
        to="/r/$repositoryId/issues/$issueId"
        params={{ repositoryId: issue.repository_id, issueId: issue.id }}
        className="text-accent hover:underline"
      >
        Show all of it
      </Link>
    </aside>
  )
}
