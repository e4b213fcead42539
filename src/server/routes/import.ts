import { Readable } from 'node:stream'
import { z } from 'zod'
import { reportFormatNames } from '../../adapters/findings/formats.ts'
import { previewImport } from '../../app/review/preview-import.ts'
import { importFindings, reviewResult } from '../../app/review/review-repository.ts'
import type { Serving } from '../serving/serving.ts'
import { ImportPreview, ReviewOutcome } from '../../model/api/repositories.ts'
import { Fault } from '../../model/fault.ts'
import { RepositoryId } from '../../model/id.ts'
import { limitedBody } from '../http/body.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'
import { fileOfForm } from '../http/multipart.ts'

const reportBytes = 200_000_000

const importQuery = z.object({
  /** May be left out where only one repository is known. */
  repository_id: RepositoryId.optional(),
  format: z.enum(reportFormatNames).optional(),
  /** What the report is called in messages. */
  name: z.string().max(200).optional(),
  /** `true`: say what would happen, and store nothing. */
  preview: z.enum(['true', 'false']).optional(),
})

export function addImportRoute(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'operator', reach: 'named' },
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
      answers: z.union([ReviewOutcome, ImportPreview]),
      faults: ['not_found', 'input_invalid'],
    },
    async ({ query, context }): Promise<object> => {
      const { incoming } = context.env
      const body = limitedBody(incoming, reportBytes)
      const report = fileOfForm(body, incoming.headers['content-type'] ?? '')
      const repositoryId = query.repository_id ?? (await onlyRepository(serving))
      return serving.withRepository(repositoryId, async (opened) => {
        const request = {
          file: '-',
          name: query.name ?? 'the report',
          format: query.format ?? null,
          stdin: Readable.from(report, { objectMode: false }),
        }
        if (query.preview === 'true') return context.json(await previewImport(opened, request))
        const imported = await importFindings(opened, request)
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
