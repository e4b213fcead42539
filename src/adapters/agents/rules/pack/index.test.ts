import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { scanSource } from '../engine/scan.ts'
import { builtInRules } from './index.ts'

const samples = new URL('./clean-samples/', import.meta.url)

describe('builtInRules', () => {
  it('has ids that are unique and say their language', () => {
    const ids = builtInRules.map((rule) => rule.id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const rule of builtInRules) {
      expect(rule.id).toMatch(/^(?:js|py)\/[a-z]+(?:-[a-z]+)*$/)
      expect(rule.languages.includes('Python')).toBe(rule.id.startsWith('py/'))
    }
  })

  it.each(builtInRules)('$id says what, why and what to do', (rule) => {
    for (const text of [rule.title, rule.message, rule.why]) expect(text.length).toBeGreaterThan(10)
    expect(rule.title.length).toBeLessThanOrEqual(60)
    expect(rule.message).toMatch(/\.$/)
    expect(rule.why).toMatch(/\.$/)
    expect(rule.fix ?? rule.advice).toBeDefined()
    for (const reference of rule.references ?? []) expect(reference).toMatch(/^(?:CWE-\d+|https:\/\/\S+)$/)
  })

  it('has rules for both languages, most of them with a fix', () => {
    const counts = Object.groupBy(builtInRules, ({ id }) => id.slice(0, 2))
    expect(counts['js']?.length).toBeGreaterThanOrEqual(26)
    expect(counts['py']?.length).toBeGreaterThanOrEqual(18)
    const withFix = builtInRules.filter(({ fix }) => fix !== undefined)
    expect(withFix.length / builtInRules.length).toBeGreaterThan(0.55)
  })

  it.each(readdirSync(samples))('is silent on the clean sample %s', (name) => {
    const source = readFileSync(new URL(name, samples), 'utf8')
    expect(scanSource(source, name.replace('.txt', ''), builtInRules)).toEqual({
      status: 'reviewed',
      matches: [],
    })
  })
})
