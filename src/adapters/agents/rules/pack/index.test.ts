import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { processorMs } from '../../../../../test/fixtures/processor-time.ts'
import { builtInRules, defaultRules } from '../built-in-rules.ts'
import { isLinterRule, scanSources } from '../scan-sources.ts'
import { ownRules } from './index.ts'

const samples = new URL('./clean-samples/', import.meta.url)

describe('ownRules', () => {
  it('has ids that are unique and say their language', () => {
    const ids = ownRules.map((rule) => rule.id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const rule of ownRules) {
      expect(rule.id).toMatch(/^js\/[a-z]+(?:-[a-z]+)*$/)
      expect(rule.languages).not.toContain('Python')
    }
  })

  it.each(ownRules)(
    'the hint of $id is looked for in hostile text without getting lost',
    async ({ hint }) => {
      const seeds = [
        '.map((',
        '.map((a) : ',
        '.map(x => {',
        '.sort<',
        'indexOf((',
        'async try { return ',
        "'${",
        `"\${a}`,
        'async function try { then ',
        'select ',
        'throw ',
        '.length ',
      ]
      for (const seed of seeds) {
        const short = await timeToSearch(hint, seed.repeat(20_000 / seed.length))
        const long = await timeToSearch(hint, seed.repeat(80_000 / seed.length))
        // Four times the text may take four times as long, not sixteen times; less than that is noise.
        expect(long).toBeLessThan(Math.max(9 * short, 100))
      }
    },
  )

  it.each(ownRules)('$id says what, why and what to do', (rule) => {
    for (const text of [rule.title, rule.message, rule.why]) expect(text.length).toBeGreaterThan(10)
    expect(rule.title.length).toBeLessThanOrEqual(60)
    expect(rule.message).toMatch(/\.$/)
    expect(rule.why).toMatch(/\.$/)
    expect(rule.fix ?? rule.advice).toBeDefined()
    for (const reference of rule.references ?? []) expect(reference).toMatch(/^(?:CWE-\d+|https:\/\/\S+)$/)
  })

  it.each(readdirSync(samples))('is silent on the clean sample %s', async (name) => {
    const path = name.replace('.txt', '')
    const text = readFileSync(new URL(name, samples), 'utf8')
    const scans = await scanSources([{ path, text }], builtInRules, new AbortController().signal)
    expect(scans.get(path)).toEqual({ status: 'reviewed', matches: [] })
  })
})

describe('builtInRules', () => {
  it('has at least 120 rules that are on over both languages, each under one id', () => {
    const ids = builtInRules.map((rule) => rule.id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(defaultRules.length).toBeGreaterThanOrEqual(120)
  })

  it('says of each rule why it matters and what to do', () => {
    for (const { why, advice } of builtInRules.filter(isLinterRule)) {
      expect(why).toMatch(/^.{10,}\.$/)
      expect(advice).toMatch(/^\S.*[^.]$/)
    }
  })

  it('names only rules that the linters know', async () => {
    const sources = [
      { path: 'a.ts', text: 'export {}\n' },
      { path: 'a.py', text: 'x = 1\n' },
    ]
    const scans = await scanSources(sources, builtInRules, new AbortController().signal)
    expect([...scans.values()]).toEqual([
      { status: 'reviewed', matches: [] },
      { status: 'reviewed', matches: [] },
    ])
  })
})

/** The shortest of some tries, in processor time: what else the machine does disturbs it least. */
async function timeToSearch(hint: Pick<RegExp, 'test'>, text: string): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < 5; count += 1) times.push(await processorMs(() => hint.test(text)))
  return Math.min(...times)
}
