import { describe, expect, it } from 'vitest'
import type { AccessToken } from '../../src/model/people/access-token.ts'
import type { AuditEntry } from '../../src/model/people/audit-entry.ts'
import { repositoryId } from '../fixtures/store/samples.ts'
import { recordedAt, setScene, type TestDatabase } from './store-scene.ts'

const sampleToken = (given: Partial<AccessToken>): AccessToken => ({
  id: 'tok_1',
  name: 'ada',
  role: 'operator',
  repository_ids: [repositoryId],
  created_at: recordedAt,
  created_by: 'owner',
  expires_at: null,
  revoked_at: null,
  ...given,
})

const sampleEntry = (number: number, given: Partial<AuditEntry> = {}): AuditEntry => ({
  id: `aud_${String(number).padStart(6, '0')}`,
  at: recordedAt,
  person: 'ada',
  role: 'operator',
  token_id: 'tok_1',
  address: '10.0.0.7',
  action: 'POST /api/fix/start',
  repository_ids: [repositoryId],
  request: '{}',
  outcome: null,
  ...given,
})

/** Tests of who may log in, and of who changed what. */
export function describePeople(makeDatabase: () => Promise<TestDatabase>): void {
  describe('people', () => {
    const scene = setScene(makeDatabase)

    it('finds a valid token by its hash, its id and its name, and no other', async () => {
      const { accessTokens } = scene.store
      const ada = sampleToken({})
      await accessTokens.create(ada, 'hash of ada')
      await accessTokens.create(sampleToken({ id: 'tok_2', name: 'late', expires_at: recordedAt }), 'late')
      const kept = { token: ada, hash: 'hash of ada' }
      for (const by of [{ hash: 'hash of ada' }, { id: 'tok_1' }, { name: 'ada' }])
        expect(await accessTokens.find(by)).toEqual(kept)
      for (const by of [{ hash: 'hash' }, { id: 'tok_2' }, { name: 'late' }, { name: 'Ada' }])
        expect(await accessTokens.find(by)).toBeNull()
      expect((await accessTokens.list()).map(({ id }) => id)).toEqual(['tok_2', 'tok_1'])
    })

    it('keeps one valid token of a name, and another after that was revoked', async () => {
      const { accessTokens } = scene.store
      const again = sampleToken({ id: 'tok_3', name: 'bob' })
      await accessTokens.create(again, 'first')
      const made = await Promise.allSettled(
        ['tok_4', 'tok_5'].map((id) => accessTokens.create(sampleToken({ id, name: 'bob' }), id)),
      )
      expect(made.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
      expect(await accessTokens.revoke('tok_3')).toBe(true)
      expect(await accessTokens.revoke('tok_3')).toBe(false)
      expect(await accessTokens.revoke('tok_9')).toBe(false)
      expect(await accessTokens.find({ hash: 'first' })).toBeNull()
      await accessTokens.create(sampleToken({ id: 'tok_6', name: 'bob' }), 'second')
      expect((await accessTokens.find({ name: 'bob' }))?.token.id).toBe('tok_6')
    })

    it('keeps every change with its end, the newest first, page by page', async () => {
      const { audit } = scene.store
      for (const number of [1, 2, 3]) await audit.begin(sampleEntry(number))
      await audit.begin(sampleEntry(4, { person: 'bob' }))
      await audit.end('aud_000002', 202)
      expect(await audit.list({ limit: 2 })).toEqual([sampleEntry(4, { person: 'bob' }), sampleEntry(3)])
      expect(await audit.list({ limit: 9, before: 'aud_000003' })).toEqual([
        sampleEntry(2, { outcome: 202 }),
        sampleEntry(1),
      ])
      expect((await audit.list({ limit: 9, person: 'bob' })).map(({ id }) => id)).toEqual(['aud_000004'])
    })

    it('keeps the beginning of what a change was asked with', async () => {
      const { audit } = scene.store
      await audit.begin(sampleEntry(5, { request: 'a'.repeat(5_000) }))
      expect((await audit.list({ limit: 1 }))[0]?.request).toBe(`${'a'.repeat(1_999)}…`)
    })
  })
}
