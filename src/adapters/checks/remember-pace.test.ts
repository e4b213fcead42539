import { expect, it } from 'vitest'
import type { CommandRun } from '../../model/proof/verification.ts'
import { rememberPace } from './remember-pace.ts'

function scene() {
  const kept = new Map<string, CommandRun>()
  let writes = 0
  const cache = {
    get: async (key: string) => kept.get(key) ?? null,
    put: async (key: string, run: CommandRun) => {
      writes += 1
      kept.set(key, run)
    },
  }
  const open = (repository = 'one') => rememberPace({ cache, hash: (text) => text, repository })
  return { open, writes: () => writes }
}

it('what took over a second is known to the next process, and the newest time counts half', async () => {
  const { open } = scene()
  const first = open()
  expect(await first.usualMs('fixer x')).toBeNull()
  await first.note('fixer x', 4000)
  await first.note('fixer x', 8000)
  expect([await first.usualMs('fixer x'), await open().usualMs('fixer x')]).toEqual([6000, 6000])
  expect([await open('other').usualMs('fixer x'), await open().usualMs('fixer y')]).toEqual([null, null])
})

it('nothing is written of what takes no second, or as long as ever', async () => {
  const { open, writes } = scene()
  const pace = open()
  await pace.note('quick', 900)
  await pace.note('slow', 5000)
  await pace.note('slow', 5400)
  expect([await pace.usualMs('quick'), writes()]).toEqual([null, 1])
})
