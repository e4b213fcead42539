import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

/** A stream ends with its connection, so events are written as they are, without the lengths of chunks. */
export function beginStream(response: ServerResponse, headers: OutgoingHttpHeaders = {}): void {
  response.useChunkedEncodingByDefault = false
  response.shouldKeepAlive = false
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...headers,
  })
  response.write('retry: 1000\n\n')
}
