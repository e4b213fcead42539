import { redactor } from '../../app/redact/redact-exits.ts'
import type { Problem } from '../../model/api/problem.ts'
import { httpStatusOf, isRetryable, type Fault } from '../../model/fault.ts'

/** A fault as the HTTP API answers it. What an internal error says stays in the log. */
function problemOf(fault: Fault, instance: string): Problem {
  return {
    ...fault.details,
    type: `urn:fixpoint:fault:${fault.code}`,
    title: fault.code.replaceAll('_', ' '),
    status: httpStatusOf(fault.code),
    detail: fault.code === 'internal' ? 'something went wrong in the server' : fault.message,
    instance,
    code: fault.code,
    hint: fault.code === 'internal' ? 'The log of the server says more.' : fault.hint,
    retryable: isRetryable(fault.code),
  }
}

export function problemResponse(fault: Fault, instance: string): Response {
  const problem = redactor.value(problemOf(fault, instance))
  const { retry_after_s: retryAfter } = fault.details
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(typeof retryAfter === 'number' && { 'retry-after': String(retryAfter) }),
      ...(fault.code === 'unauthorized' && { 'www-authenticate': 'Bearer realm="fixpoint"' }),
    },
  })
}
