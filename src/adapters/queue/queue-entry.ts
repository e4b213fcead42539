import type { QueueEntry, QueueKind, WorkRequest } from '../../loop/ports.ts'

/** What a job is about. */
export function kindOfEntry(job: QueueEntry): QueueKind {
  if ('reviewId' in job) return 'reviews'
  return job.attemptId === undefined ? 'sessions' : 'attempts'
}

/** What a job is to be looked at for: the same text for two jobs of which one is enough. */
export const keyOfEntry = (job: QueueEntry): string =>
  'reviewId' in job ? job.reviewId : (job.attemptId ?? job.sessionId)

/** Gives a job to a handler of its kind. */
export async function handOver(request: WorkRequest, job: QueueEntry): Promise<void> {
  if ('reviewId' in job) return request.kind === 'reviews' ? request.handle(job) : undefined
  return request.kind === 'reviews' ? undefined : request.handle(job)
}
