/**
 * Two problems of one line that share their topic: what a matcher by words alone takes for one. They were written before
 * any threshold for short texts was chosen.
 */
export const sharedTopics: readonly (readonly [string, string])[] = [
  ['Token is logged in plain text.', 'Token is compared with === instead of in constant time.'],
  [
    'The promise is not awaited, so the test ends too early.',
    'A rejection of the awaited promise is not caught.',
  ],
  ['The user id is not validated before the query.', 'The result of the query is not checked for null.'],
  [
    'The lock is never released when parse() throws.',
    'The lock is taken too late: the counter is read before it.',
  ],
  ['The retry loop has no limit.', 'The retry loop does not wait between attempts.'],
  [
    "The cache key lacks the tenant, so tenants see each other's data.",
    'The cache never evicts entries and grows without bound.',
  ],
  [
    'The regular expression is not anchored, so a longer host matches.',
    'The regular expression is compiled for each request.',
  ],
  ['The file is opened without an encoding.', 'The file is never closed.'],
  [
    'The timeout is given in seconds where milliseconds are expected.',
    'The timeout is not cleared after the response arrived.',
  ],
  ['The response status is ignored.', 'The response body is read into memory as a whole.'],
  [
    'The index is off by one at the end of the array.',
    'The array is copied on each iteration, which makes the loop quadratic.',
  ],
  ['The password is stored without a salt.', 'The password may be empty.'],
  ['The default of the parameter is mutable.', 'The parameter is never used.'],
  ['The error is swallowed without a log line.', 'The error message leaks the path of the database.'],
  ['The temporary file has a predictable name.', 'The temporary file is not removed when the upload fails.'],
  ['The session cookie is sent without the Secure attribute.', 'The session cookie outlives the logout.'],
  [
    'The header is appended twice on redirects.',
    'The header value may contain line breaks (response splitting).',
  ],
  ['The import os is unused.', 'The import sys is unused.'],
  [
    'The connection is not returned to the pool after an error.',
    'The size of the connection pool is hard-coded.',
  ],
  ['The date is parsed in local time.', 'The date format is ambiguous between day and month.'],
  [
    'The migration adds a column without a default, which locks the table.',
    'The migration cannot be rolled back because the old column is dropped.',
  ],
  ['The test asserts nothing after the call.', 'The test depends on the order in which the suite runs.'],
  ['The comparison uses == and coerces strings.', 'The comparison is inverted: it keeps expired entries.'],
  [
    'The worker is started before its handler is attached, so early messages are lost.',
    'The worker is not terminated when the handler throws.',
  ],
]
