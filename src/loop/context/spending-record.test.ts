import { expect, it } from 'vitest'
import { SessionId } from '../../model/id.ts'
import { createSpendingRecord, readSpendingRecord } from './spending-record.ts'

const id = SessionId.parse('ses_1')

it('the record of spending keeps the last of what was used, and leaves out what came in between', async () => {
  const texts: string[] = []
  const { promise: isWritten, resolve } = Promise.withResolvers<void>()
  const write = async (_: unknown, __: string, text: string) => {
    await Promise.resolve()
    if (texts.push(text) === 2) resolve()
  }
  const record = createSpendingRecord({ write }, id)
  for (const usd of [1, 2, 3]) record({ usd, tokens: usd * 10 })
  await isWritten
  expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual([
    { usd: 1, tokens: 10 },
    { usd: 3, tokens: 30 },
  ])
})

it.each([
  ['{"usd":1,"tokens":2}', { usd: 1, tokens: 2 }],
  ['{"usd":1,"tok', null],
  ['{"usd":"x"}', null],
  [null, null],
])('the record of spending reads %s', async (text, spent) => {
  expect(await readSpendingRecord({ read: async () => text }, id)).toEqual(spent)
})
