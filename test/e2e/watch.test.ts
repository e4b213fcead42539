import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FixEvent } from '../../src/model/session/event.ts'
import type { SessionResult } from '../../src/model/session/session-result.ts'
import {
  commandLineOf,
  configOf,
  envOf,
  fixpointIn,
  sources,
  type RunFixpoint,
} from '../fixtures/command-line.ts'
import { makeRepository, type FixtureRepository } from '../fixtures/repositories.ts'
import { serverToken, startTestServer, type TestServer } from '../fixtures/server.ts'

let repository: FixtureRepository
let fixpoint: RunFixpoint
let session: string
let server: TestServer

beforeAll(async () => {
  repository = makeRepository({ ...sources, 'fixpoint.yaml': configOf() })
  fixpoint = commandLineOf(repository)
  fixpoint('review', '--yes')
  session = fixpoint('fix', '--all', '--json').json<SessionResult>().session_id
  server = await startTestServer(repository)
})
afterAll(async () => {
  await server.end()
  repository.dispose()
})

const lines = (text: string): readonly string[] => text.trim().split('\n')
const watchOver = (url: string, token: string, ...args: string[]) =>
  fixpointIn(repository.root, envOf(repository, { FIXPOINT_URL: url, FIXPOINT_TOKEN: token }), [
    'watch',
    ...args,
  ])

describe('fixpoint watch where there is no terminal', () => {
  it('prints every event of the newest session and ends when it rests, with the exit code it stands for', () => {
    const ran = fixpoint('watch')
    expect(ran.exitCode).toBe(1)
    expect(lines(ran.stdout).length).toBe(lines(fixpoint('sessions', 'log', session).stdout).length)
    expect(lines(ran.stdout).at(-1)).toMatch(/fix_session_completed +1 of 2 fixed/)
  })

  it('prints events and the result as JSON lines', () => {
    const ran = fixpoint('watch', session, '--jsonl')
    const values = lines(ran.stdout).map((line) => JSON.parse(line) as FixEvent & SessionResult)
    expect(values.at(-1)).toMatchObject({
      schema: 'fixpoint.session.v1',
      session_id: session,
      issues_fixed: 1,
    })
    expect(values.slice(0, -1).map(({ seq }) => seq)).toEqual(
      values.slice(0, -1).map((_, index) => index + 1),
    )
  })

  it('says the same when it asks a server', () => {
    const ran = watchOver(server.url, serverToken)
    expect([ran.exitCode, ran.stdout]).toEqual([1, fixpoint('watch').stdout])
    const jsonl = watchOver(server.url, serverToken, session, '--jsonl')
    expect(JSON.parse(lines(jsonl.stdout).at(-1) ?? '')).toMatchObject({
      session_id: session,
      issues_fixed: 1,
    })
  })

  it('names what is wrong with a session, a token or an address', () => {
    expect(fixpoint('watch', 'ses_nothing')).toMatchObject({ exitCode: 2, stdout: '' })
    expect(watchOver(server.url, serverToken, 'ses_nothing').exitCode).toBe(2)
    expect(watchOver(server.url, 'a-token-that-is-wrong').stderr).toContain('error:')
    expect(watchOver('http://127.0.0.1:9', serverToken)).toMatchObject({
      exitCode: 75,
      stderr: expect.stringContaining('no server can be reached'),
    })
    expect(watchOver('nonsense', '').exitCode).toBe(2)
    expect(watchOver('http://example.invalid', '').stderr).toContain('the token of the server')
  })
})
