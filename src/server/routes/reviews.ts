import { Readable } from 'node:stream'
import { z } from 'zod'
import { reportFormatNames } from '../../adapters/findings/formats.ts'
import { importFindings, reviewRepository, reviewResult } from '../../app/review/review-repository.ts'
import type { ReviewScope } from '../../app/review/review-scope.ts'
import { requireTrusted } from '../../app/fix/require-trusted.ts'
import type { Serving } from '../serving/serving.ts'
import { ReviewList, ReviewOutcome, StartReview } from '../../model/api/repositories.ts'
import { Fault } from '../../model/fault.ts'
import { RepositoryId } from '../../model/id.ts'
import { addEndpoint, type ServerApp, limitedBody } from '../http/endpoint.ts'
import { fileOfForm } from '../http/multipart.ts'

const reportBytes = 200_000_000
const reviewsShown = 200

/** `stopping` ends reviewers when the server stops; a client that leaves does not. */
export function addReviewRoutes(app: ServerApp, serving: Serving, stopping: AbortSignal): void {
  addEndpoint(
    app,
    {
      method: 'get',
      path: '/api/reviews',
      summary: 'The reviews and imports of a repository, newest first',
      query: z.object({ repository_id: RepositoryId }),
      answers: ReviewList,
    },
    async ({ query }) => {
      const { id } = await serving.findRepository(query.repository_id)
      return { schema: 'fixpoint.reviews.v1', reviews: await serving.store.reviews.list(id, reviewsShown) }
    },
  )
  addEndpoint(
    app,
    {
      method: 'post',
      path: '/api/reviews',
      summary: 'Let the reviewers look at the code; answers when they are done',
      body: StartReview,
      status: 201,
      answers: ReviewOutcome,
    },
    ({ body }) =>
      serving.withRepository(body.repository_id, async (opened) => {
        const revisions = ['HEAD', ...(body.base === undefined ? [] : [body.base])]
        await requireTrusted(opened, { for: 'review', revisions })
        const reviewed = await reviewRepository(opened, scopeOf(body), stopping)
        return { schema: 'fixpoint.review.v1', ...reviewResult(reviewed), incomplete: [], format: null }
      }),
  )
  addImportRoute(app, serving)
}

const scopeOf = ({ paths = [], base, pending, spec }: StartReview): ReviewScope => ({
  paths,
  ...(base !== undefined && { base }),
  ...(pending !== undefined && { pending }),
  ...(spec !== undefined && { spec }),
})

const importQuery = z.object({
  /** May be left out where only one repository is known. */
  repository_id: RepositoryId.optional(),
  format: z.enum(reportFormatNames).optional(),
  /** What the report is called in messages. */
  name: z.string().max(200).optional(),
})

function addImportRoute(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      method: 'post',
      path: '/api/findings/import',
      summary: "Read another tool's report; the body is the report itself, or a form with it as a file",
      query: importQuery,
      rawBody: [
        'application/json',
        'application/sarif+json',
        'application/octet-stream',
        'multipart/form-data',
      ],
      status: 201,
      answers: ReviewOutcome,
    },
    async ({ query, context }) => {
      const { incoming } = context.env
      const body = limitedBody(incoming, reportBytes)
      const report = fileOfForm(body, incoming.headers['content-type'] ?? '')
      const repositoryId = query.repository_id ?? (await onlyRepository(serving))
      return serving.withRepository(repositoryId, async (opened) => {
        const imported = await importFindings(opened, {
          file: '-',
          name: query.name ?? 'the report',
          format: query.format ?? null,
          stdin: Readable.from(report, { objectMode: false }),
        })
        const { incomplete, format } = imported
        return { schema: 'fixpoint.import.v1', ...reviewResult(imported), incomplete, format }
      })
    },
  )
}

async function onlyRepository({ store }: Serving): Promise<RepositoryId> {
  const [first, ...others] = await store.repositories.list()
  if (first && others.length === 0) return first.id
  throw new Fault('usage', 'repository_id is missing', {
    hint: 'GET /api/repositories lists the repositories; give one as ?repository_id=rep_….',
  })
}
