import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'

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

/** A file of the web page. Every address without a file of its own is the page, which knows its own addresses. */
export async function serveWebFile(folder: string, path: string): Promise<Response | null> {
  const asked = safeDecode(path)
  if (asked === null) return null
  const file = await readInside(folder, asked === '/' ? 'index.html' : asked)
  if (file) return fileResponse(file, extname(asked === '/' ? 'index.html' : asked), asked)
  if (extname(asked) !== '') return null
  const page = await readInside(folder, 'index.html')
  return fileResponse(page ?? Buffer.from(missingPage), '.html', '/')
}

function fileResponse(bytes: Buffer, extension: string, path: string): Response {
  // Names below assets/ change with their content.
  const caching = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
  return new Response(new Uint8Array(bytes), {
    headers: { 'content-type': types[extension] ?? 'application/octet-stream', 'cache-control': caching },
  })
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
