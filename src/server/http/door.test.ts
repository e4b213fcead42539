import { expect, it } from 'vitest'
import { GITHUB_TOKEN } from '../../adapters/secrets/made-up-secrets.ts'
import type { Store } from '../../adapters/store/index.ts'
import { redactStore } from '../../app/redact/redact-exits.ts'
import type { AuditEntry } from '../../model/people/audit-entry.ts'
import { createDoor, nobody } from './door.ts'

it('the record of a change holds no part of a secret, wherever it stands in a long request', async () => {
  const entries: AuditEntry[] = []
  const audit = { begin: async (entry: AuditEntry) => void entries.push(entry), end: async () => undefined }
  const known = { get: async () => [] }
  const whole = { audit, issues: known, sessions: known, reviews: known, reviewOrders: known }
  const store = redactStore(whole as unknown as Store)
  const door = createDoor({ store, onError: () => undefined })
  const body = { notes: `${'word '.repeat(394)}${GITHUB_TOKEN} and more` }
  const knock = { method: 'POST', path: '/api/fix/start', params: {}, query: {}, body }
  const caller = { ...nobody('127.0.0.1'), name: 'ada' }
  await door.record(caller, knock)
  expect(entries[0]?.request).toContain('[redacted: github token]')
  expect(entries[0]?.request).not.toContain(GITHUB_TOKEN.slice(0, 8))
})
