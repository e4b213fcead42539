import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openArtifacts } from '../../src/adapters/artifacts/index.ts'
import type { Artifacts, ArtifactShelf } from '../../src/loop/ports.ts'
import { SessionId } from '../../src/model/id.ts'
import { commandLineOf, envOf, fixpointIn } from '../fixtures/command-line.ts'
import { makeProject } from '../fixtures/project.ts'
import { startBucket, type TestBucket } from '../fixtures/s3.ts'
import { slowness } from '../fixtures/slowness.ts'

const home = mkdtempSync(join(tmpdir(), 'fixpoint-artifacts-'))
const [first, second] = [SessionId.parse('ses_1'), SessionId.parse('ses_10')]
let bucket: TestBucket
const places: Record<string, Artifacts & ArtifactShelf> = {}

beforeAll(async () => {
  bucket = await startBucket()
  places['a folder'] = openArtifacts({ url: 'folder', home, env: {} })
  places['a bucket'] = openArtifacts({ url: bucket.url, home, env: bucket.env })
})
afterAll(async () => {
  await bucket.stop()
  rmSync(home, { recursive: true, force: true })
})

describe.each(['a folder', 'a bucket'])('artifacts in %s', (kind) => {
  it('are read as they were written, whatever they are called and hold', async () => {
    const place = places[kind]!
    const names = ['BE-001/round 1/prompt.md', 'ü & <b> + %41.txt', 'empty.txt']
    const texts = ['line\r\nzwei ü 🙂\n', 'x'.repeat(3_000_000), '']
    for (const [index, name] of names.entries()) await place.write(first, name, texts[index]!)
    await place.write(first, names[0]!, 'again')
    await place.write(second, 'of another', 'stays')
    expect(await place.list(first)).toEqual(names.toSorted())
    expect(await Promise.all(names.map((name) => place.read(first, name)))).toEqual([
      'again',
      ...texts.slice(1),
    ])
    expect(await place.read(first, 'nothing')).toBeNull()
    expect(await place.list(SessionId.parse('ses_9'))).toEqual([])
    for (const name of ['../ses_10/of another', '..'])
      await expect(async () => place.write(first, name, 'x')).rejects.toThrow('cannot be named')
  })

  it('come as a stream, whatever their size', async () => {
    const place = places[kind]!
    const large = 'ü'.repeat(2_000_000)
    await place.write(first, 'large.txt', large)
    const stream = await place.stream(first, 'large.txt')
    expect((await new Response(stream).text()) === large).toBe(true)
    expect(await place.stream(first, 'nothing')).toBeNull()
    await expect(place.reach()).resolves.toBeUndefined()
  })

  it('are deleted with their session, and nothing else is', async () => {
    const place = places[kind]!
    expect((await place.owners()).toSorted()).toEqual(['ses_1', 'ses_10'])
    expect(await place.bytes()).toBe('again'.length + 3_000_000 + 'stays'.length + 4_000_000)
    await place.remove('ses_1')
    expect(await place.bytes()).toBe('stays'.length)
    await place.remove('ses_1')
    expect(await place.owners()).toEqual(['ses_10'])
    expect(await place.read(second, 'of another')).toBe('stays')
  })
})

describe('a bucket', () => {
  it('gives addresses that anybody may read from, and only until they run out', async () => {
    const place = places['a bucket']!
    const linked = SessionId.parse('ses_linked')
    await place.write(linked, 'a b/ü.txt', 'linked')
    const link = (await place.link(linked, 'a b/ü.txt')) ?? ''
    expect(await (await fetch(link)).text()).toBe('linked')
    expect(Object.fromEntries(new URL(link).searchParams)).toMatchObject({
      'X-Amz-Expires': '300',
      'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(await places['a folder']!.link(first, 'x')).toBeNull()
  })

  it('that is away is said at once to whoever asks whether it is there', async () => {
    const away = openArtifacts({ url: 's3://bucket/x?endpoint=http://127.0.0.1:9', home, env: bucket.env })
    const begun = performance.now()
    await expect(away.reach()).rejects.toMatchObject({ code: 'artifacts_unreachable' })
    expect(performance.now() - begun).toBeLessThan(3_000 * slowness())
  })

  it('lists more objects than one answer holds', async () => {
    const place = places['a bucket']!
    const names = Array.from({ length: 1_050 }, (_, index) => `n${String(index).padStart(4, '0')}`)
    const before = await place.bytes()
    await Promise.all(names.map((name) => place.write(first, name, 'x')))
    expect(await place.list(first)).toEqual(names)
    expect(await place.bytes()).toBe(before + names.length)
  })

  it('that is not there, or that nobody has credentials for, is said with what to do', async () => {
    const missing = openArtifacts({ url: bucket.url.replace('fixpoint-', 'no-'), home, env: bucket.env })
    await expect(missing.write(first, 'a', 'b')).rejects.toMatchObject({
      code: 'artifacts_unreachable',
      message: expect.stringMatching(/no-artifacts at .* answers 404/),
    })
    const stranger = openArtifacts({ url: bucket.url, home, env: { HOME: home } })
    await expect(stranger.read(first, 'a')).rejects.toMatchObject({
      code: 'artifacts_unreachable',
      hint: expect.stringContaining('AWS_ACCESS_KEY_ID'),
    })
  })

  it('that goes away stops a session so that it can go on, and nothing is lost', async () => {
    const project = await makeProject({
      files: { 'src/a.mjs': 'export const a = () => 2\n' },
      fixer: `edit(issue.file, '=> 2', '=> 1')\nreturn {}`,
    })
    await project.import([{ file: 'src/a.mjs', line: 1, title: 'a is wrong', severity: 'major', rule: 'a' }])
    const env = { ...envOf(project), ...bucket.env, FIXPOINT_ARTIFACTS_URL: bucket.url }
    await bucket.cut()
    const stopped = fixpointIn(project.root, env, ['fix', '--all', '--yes', '--json'])
    expect([stopped.exitCode, stopped.stderr]).toEqual([75, expect.stringContaining('keeps artifacts')])
    await bucket.restore()
    const resumed = fixpointIn(project.root, env, ['resume', '--json'])
    expect([resumed.exitCode, resumed.json()['issues_fixed']]).toEqual([0, 1])
    const { session_id: id } = resumed.json<{ session_id: string }>()
    const kept = openArtifacts({ url: bucket.url, home, env: bucket.env })
    expect(await kept.list(SessionId.parse(id))).toContainEqual(expect.stringContaining('prompt'))
    expect(commandLineOf(project)('issues', 'list', '--json').json()).toMatchObject({
      issues: [{ status: 'resolved' }],
    })
    await project.close()
  })
})
