import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { claudeDefinition } from '../claude/definition.ts'
import { codexDefinition } from '../codex/definition.ts'
import { geminiDefinition } from '../gemini/definition.ts'
import { readLogin, type CliLogin } from './login.ts'

const home = mkdtempSync(join(tmpdir(), 'fixpoint-login-'))
afterAll(() => rmSync(home, { recursive: true }))
const env = { HOME: home }
const [claude, gemini, codex] = [claudeDefinition, geminiDefinition, codexDefinition].map(
  ({ cli }) => cli?.login,
) as [CliLogin, CliLogin, CliLogin]
const put = (path: string, text: string): string => {
  const file = join(home, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  return file
}

test('without a key and a login there is nothing to log in with', () => {
  for (const login of [claude, gemini, codex])
    expect(readLogin(login, { ...env, ANTHROPIC_API_KEY: '' }, null)).toEqual({ loggedIn: false, by: null })
})

test('a key is named, not shown', () => {
  expect(readLogin(claude, { ...env, ANTHROPIC_API_KEY: 'k' }, null).by).toBe('ANTHROPIC_API_KEY')
  expect(readLogin(gemini, { ...env, GEMINI_API_KEY: 'k' }, null).by).toBe('GEMINI_API_KEY')
  expect(readLogin(codex, { ...env, CODEX_API_KEY: 'k' }, null).by).toBe('CODEX_API_KEY')
})

test('what a login leaves behind counts, in the folder that is used', () => {
  expect(readLogin(codex, env, put('own/auth.json', '{}').replace('/auth.json', ''))).toMatchObject({
    loggedIn: true,
  })
  expect(readLogin(codex, env, null).loggedIn).toBe(false)
  const credentials = put('.claude/.credentials.json', '{}')
  expect(readLogin(claude, env, null)).toEqual({ loggedIn: true, by: credentials })
  expect(readLogin(claude, { ...env, CLAUDE_CONFIG_DIR: join(home, 'other') }, null).loggedIn).toBe(false)
  put('.gemini/oauth_creds.json', '{}')
  expect(readLogin(gemini, env, null).loggedIn).toBe(true)
})

test('the general file of claude counts only when it names an account', () => {
  const folder = join(home, 'general')
  put('general/.claude.json', '{"numStartups": 3}')
  expect(readLogin(claude, env, folder).loggedIn).toBe(false)
  put('general/.claude.json', '{"oauthAccount": {}}')
  expect(readLogin(claude, env, folder).loggedIn).toBe(true)
})
