import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
}

const missingPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Fixpoint</title>
<h1>Fixpoint</h1><p>The server runs, but its pages are not built. In a checkout of Fixpoint, <code>npm run build</code> makes them.
The API is there all the same: <code>GET /api/openapi.json</code>.</p></html>
`

/** The part of a request that chooses a file and how it travels. */
interface AskedFile {
  readonly path: string
  header(name: string): string | undefined
}

/** A file of the web page. Every address without a file of its own is the page, which knows its own addresses. */
export async function serveWebFile(folder: string, request: AskedFile): Promise<Response | null> {
  const asked = safeDecode(request.path)
  if (asked === null) return null
  const name = asked === '/' ? '/index.html' : asked
  const file = await readInside(folder, name)
  if (file) return fileResponse(file, name, request)
  if (extname(asked) !== '') return null
  const page = await readInside(folder, 'index.html')
  return fileResponse(page ?? Buffer.from(missingPage), '/index.html', request)
}

async function fileResponse(bytes: Buffer, name: string, request: AskedFile): Promise<Response> {
  // Names below assets/ change with their content.
  const isLasting = name.startsWith('/assets/')
  const type = types[extname(name)] ?? 'application/octet-stream'
  const isZipped = isText.test(type) && takesGzip(request.header('accept-encoding'))
  const body = isZipped ? await (isLasting ? zipOnce(name, bytes) : zip(bytes)) : bytes
  return new Response(new Uint8Array(body), {
    headers: {
      'content-type': type,
      'cache-control': isLasting ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      ...(isZipped && { 'content-encoding': 'gzip' }),
    },
  })
}

const zip = promisify(gzip)
const isText = /^text\/|json|svg/
const takesGzip = (accepted = ''): boolean =>
  accepted.split(',').some((one) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(one))

/** Zipped files by name. There are as many as the build has made. */
const zipped = new Map<string, Promise<Buffer>>()
function zipOnce(name: string, bytes: Buffer): Promise<Buffer> {
  const known = zipped.get(name) ?? zip(bytes)
  zipped.set(name, known)
  return known
}

function safeDecode(path: string): string | null {
  try {
    const decoded = decodeURIComponent(path)
    return decoded.includes('\0') ? null : decoded
  } catch {
    return null
  }
}

async function readInside(folder: string, path: string): Promise<Buffer | null> {
  const file = normalize(join(folder, path))
  if (!file.startsWith(`${folder}${sep}`)) return null
  try {
    return await readFile(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null
    throw error
  }
}
