import { expect, it } from 'vitest'
import { builtInRules } from '../built-in-rules.ts'
import { isLinterRule } from '../scan-sources.ts'
import { lintWithOxlint } from './oxlint.ts'

const rules = builtInRules.filter(isLinterRule).filter(({ linter }) => linter === 'oxlint')
const source = { path: 'a.ts', text: 'export const isOdd = (a: number) => a === NaN\n' }

it('a text that was read is not read again under the same rules, wherever it stands', async () => {
  const first = (await lintWithOxlint([source], rules, { signal: new AbortController().signal })).get('a.ts')
  expect(first).toMatchObject({ found: [{ rule: { id: 'eslint/use-isnan' } }] })
  // No process is started for a caller who gave up.
  const gaveUp = { signal: AbortSignal.abort() }
  const again = await lintWithOxlint([{ ...source, path: 'src/b.ts' }], rules, gaveUp)
  expect(again.get('src/b.ts')).toEqual(first)
  await expect(lintWithOxlint([source], rules.slice(1), gaveUp)).rejects.toThrow('oxlint')
  await expect(lintWithOxlint([{ ...source, path: 'a.tsx' }], rules, gaveUp)).rejects.toThrow('oxlint')
  await expect(lintWithOxlint([{ ...source, text: ' ' }], rules, gaveUp)).rejects.toThrow('oxlint')
})
