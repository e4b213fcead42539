import { Readable } from 'node:stream'
import { z } from 'zod'
import { reportFormatNames } from '../../adapters/findings/formats.ts'
import { previewImport } from '../../app/review/preview-import.ts'
import { importFindings } from '../../app/review/import-findings.ts'
import { reviewResult } from '../../app/review/review-repository.ts'
import type { Serving } from '../serving/serving.ts'
import { ImportPreview, ReviewOutcome } from '../../model/api/repositories.ts'
import { Fault } from '../../model/fault.ts'
import { RepositoryId } from '../../model/id.ts'
import { limitedBody } from '../http/body.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'

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
      answers: ReviewOutcome,
      others: [{ status: 200, when: 'what an import would do', schema: ImportPreview }],
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

const headerBytes = 16_384

/** The bytes of the first file in a form, as they arrive; a body that is no form is given as it is. */
async function* fileOfForm(body: AsyncIterable<Uint8Array>, contentType: string): AsyncGenerator<Buffer> {
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    for await (const chunk of body) yield Buffer.from(chunk)
    return
  }
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw broken('it names no boundary')
  yield* readFile(body, Buffer.from(`\r\n--${boundary}`))
}

const broken = (why: string): Fault =>
  new Fault('input_invalid', `the form cannot be read: ${why}`, {
    hint: 'Send the report itself as the body.',
  })

/** Skips to the first part that is a file, then gives its bytes up to the next boundary. */
async function* readFile(body: AsyncIterable<Uint8Array>, delimiter: Buffer): AsyncGenerator<Buffer> {
  // The first boundary stands at the very beginning, without the line break of the others.
  let rest: Buffer = Buffer.from('\r\n')
  let isInFile = false
  for await (const chunk of body) {
    rest = Buffer.concat([rest, chunk])
    while (!isInFile) {
      const part = nextPart(rest, delimiter)
      if (part === null) break
      rest = part.rest
      isInFile = part.isFile
    }
    if (!isInFile) {
      if (rest.length > headerBytes + delimiter.length) rest = keepTail(rest, delimiter)
      continue
    }
    const end = rest.indexOf(delimiter)
    if (end >= 0) {
      yield rest.subarray(0, end)
      return
    }
    // The delimiter may be cut in two by the chunks.
    const safe = rest.length - delimiter.length
    if (safe > 0) {
      yield rest.subarray(0, safe)
      rest = rest.subarray(safe)
    }
  }
  throw broken(isInFile ? 'it ends in the middle of the file' : 'it holds no file')
}

interface Part {
  readonly isFile: boolean
  readonly rest: Buffer
}

/** The next part whose headers are there whole. */
function nextPart(bytes: Buffer, delimiter: Buffer): Part | null {
  const start = bytes.indexOf(delimiter)
  const end = start < 0 ? -1 : bytes.indexOf('\r\n\r\n', start + delimiter.length)
  if (end < 0) return null
  const headers = bytes.subarray(start + delimiter.length, end).toString('latin1')
  return {
    isFile: /^content-disposition:[^\r\n]*\bfilename\*?=/im.test(headers),
    rest: bytes.subarray(end + 4),
  }
}

/** Drops a part that is no file, but for its end: the next boundary may begin there. */
function keepTail(bytes: Buffer, delimiter: Buffer): Buffer {
  if (bytes.indexOf(delimiter) >= 0) throw broken('the headers of a part are too long')
  return bytes.subarray(bytes.length - delimiter.length)
}
