import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { own } from '../../src/loop/own-text.ts'
import { findConversation, pruneConversations } from '../../src/adapters/agents/gemini/conversation.ts'
import { conversationStore, makeRunFiles } from '../../src/adapters/agents/gemini/run-files.ts'
import { makeFolder, snapshotOf, writeFiles } from '../fixtures/repositories.ts'
import { fixerTask } from './agent-suite.ts'

const folders: ReturnType<typeof makeFolder>[] = []
afterEach(() => folders.splice(0).forEach((one) => one.dispose()))

function place() {
  const made = makeFolder()
  folders.push(made)
  const home = join(made.folder, 'home')
  const make = (given: { configFolder?: string; env?: Record<string, string> } = {}) =>
    makeRunFiles({
      fixpointHome: home,
      root: home,
      configFolder: given.configFolder ?? null,
      permissions: 'role',
      env: { ...made.env, ...given.env },
      model: null,
      thinkingBudget: null,
      maxTurns: null,
      task: fixerTask(made.folder),
      subagents: [{ name: 'one', description: 'two', prompt: own`three` }],
    })
  return { ...made, home, make, person: made.env['HOME'] ?? '' }
}

const typeIn = (home: string): unknown =>
  (JSON.parse(readFileSync(join(home, '.gemini/settings.json'), 'utf8')) as { security: { auth?: unknown } })
    .security.auth

describe('the home of one run', () => {
  it('has the login of the person, linked, and leaves their home as it was', async () => {
    const { person, make } = place()
    writeFiles(person, {
      '.gemini/oauth_creds.json': '{"token":1}',
      '.gemini/settings.json': '{"security":{"auth":{"selectedType":"oauth-personal"}},"hooks":{"x":1}}',
      '.gemini/agents/mine.md': 'mine',
    })
    const before = snapshotOf(person)
    const files = await make({ env: { GEMINI_API_KEY: 'key' } })
    const config = join(files.home, '.gemini')
    expect(readlinkSync(join(config, 'oauth_creds.json'))).toBe(join(person, '.gemini/oauth_creds.json'))
    expect(typeIn(files.home)).toEqual({ selectedType: 'oauth-personal' })
    expect(readdirSync(join(config, 'agents'))).toEqual(['one.md'])
    expect(readFileSync(join(config, 'settings.json'), 'utf8')).not.toContain('hooks')
    expect(statSync(files.home).mode & 0o077).toBe(0)
    await files.remove()
    expect(snapshotOf(person)).toEqual(before)
  })

  it('takes the login of a configuration folder of its own, or the key of the environment', async () => {
    const { folder, make, home } = place()
    writeFiles(folder, {
      'other/.gemini/settings.json': '{"security":{"auth":{"selectedType":"vertex-ai"}}}',
    })
    const own = await make({ configFolder: join(folder, 'other') })
    expect(typeIn(own.home)).toEqual({ selectedType: 'vertex-ai' })
    const keyed = await make({ env: { GEMINI_API_KEY: 'key' } })
    expect(typeIn(keyed.home)).toEqual({ selectedType: 'gemini-api-key' })
    await Promise.all([own.remove(), keyed.remove()])
    expect(readdirSync(join(home, 'tasks'))).toEqual([])
  })
})

describe('conversations', () => {
  const id = '34d7777c-444d-4c0b-8e29-51105558ee65'
  const line = (sessionId: string): string => `${JSON.stringify({ sessionId })}\n`

  it('are found by their id, the longest of them, whatever else lies around', async () => {
    const { folder, home } = place()
    const store = conversationStore({ home, root: home })
    const chats = join(store, 'tmp/project/chats')
    writeFiles(store, {
      'tmp/other/chats/session-2026-34d7777c.jsonl': line(`${id.slice(0, -1)}6`),
      'tmp/broken/chats/session-2026-34d7777c.jsonl': '{"sessionId"',
      'tmp/project/.project_root': `${folder}\n`,
      'tmp/project/chats/session-2026-02-34d7777c.jsonl': line(id),
      'tmp/project/chats/session-2026-01-34d7777c.jsonl': `${line(id)}and all that was said`,
    })
    mkdirSync(join(store, 'tmp/folder/chats/session-34d7777c.jsonl'), { recursive: true })
    const find = (fork: boolean, workspace = folder) => findConversation({ store, id, fork, workspace })
    expect(await find(false)).toEqual({ resume: id })
    const copyOf = join(chats, 'session-2026-01-34d7777c.jsonl')
    expect(await find(true)).toEqual({ copyOf })
    expect(await find(false, home)).toEqual({ copyOf })
    expect(await findConversation({ store, id: 'another', fork: false, workspace: folder })).toBeNull()
    expect(await findConversation({ store: '/nowhere', id, fork: false, workspace: folder })).toBeNull()
  })

  it('are removed when none was begun in their folder for a month', async () => {
    const { home } = place()
    const store = conversationStore({ home, root: home })
    writeFiles(store, { 'tmp/old/chats/a.jsonl': '', 'tmp/new/chats/a.jsonl': '', 'history/old/x': '' })
    const nowMs = Date.now()
    for (const path of ['tmp/old/chats', 'history/old'])
      utimesSync(join(store, path), 0, nowMs / 1000 - 31 * 24 * 3600)
    await pruneConversations(store, nowMs)
    expect(readdirSync(join(store, 'tmp'))).toEqual(['new'])
    expect(readdirSync(join(store, 'history'))).toEqual([])
  })
})
