import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serveWebFile } from './web-files.ts'

let folder = ''
const script = 'export const answer = 42\n'.repeat(200)
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fixpoint-web-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<h1>Page</h1>')
  writeFileSync(join(folder, 'assets/app-1.js'), script)
  writeFileSync(join(folder, 'assets/dot.png'), 'not text')
})
afterAll(() => rmSync(folder, { recursive: true }))

async function ask(path: string, accepted?: string) {
  const answer = await serveWebFile(folder, { path, header: () => accepted })
  if (!answer) return null
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { encoding: answer.headers.get('content-encoding'), bytes, headers: answer.headers }
}

it('a script travels zipped to whoever takes that, every time the same', async () => {
  for (let time = 0; time < 2; time += 1) {
    const answer = await ask('/assets/app-1.js', 'gzip, deflate, br')
    expect(answer?.encoding).toBe('gzip')
    expect(answer?.bytes.length).toBeLessThan(script.length / 10)
    expect(gunzipSync(answer?.bytes ?? '').toString()).toBe(script)
    expect(answer?.headers.get('vary')).toBe('accept-encoding')
    expect(answer?.headers.get('cache-control')).toContain('immutable')
  }
})

it.each([undefined, 'identity', 'br', 'gzip;q=0', 'gzip; q=0.0, br'])(
  'a script travels as it is to whoever accepts %s',
  async (accepted) => {
    const answer = await ask('/assets/app-1.js', accepted)
    expect(answer?.encoding).toBe(null)
    expect(answer?.bytes.toString()).toBe(script)
  },
)

it('the page of an address without a file is zipped too, a picture is not, and nothing outside is read', async () => {
  const page = await ask('/r/rep_1/issues', 'gzip;q=0.5')
  expect(gunzipSync(page?.bytes ?? '').toString()).toBe('<h1>Page</h1>')
  expect(page?.headers.get('cache-control')).toBe('no-cache')
  expect((await ask('/assets/dot.png', 'gzip'))?.encoding).toBe(null)
  expect(await ask('/assets/../../secret.txt', 'gzip')).toBe(null)
  expect(await ask('/assets/none.js', 'gzip')).toBe(null)
})
