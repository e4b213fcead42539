import { describe, expect, it } from 'vitest'
import { applyEdits } from '../edits.ts'
import type { Rule } from '../rule.ts'
import { scanSource } from '../scan.ts'
import type { Match } from '../scan.ts'

/** `fixed` is the whole text after the fix, or null where this match must have none. */
export type BadCode = { readonly code: string; readonly fixed: string | null }
export type RuleCases = {
  readonly bad: readonly BadCode[]
  readonly good: readonly string[]
  readonly paths?: readonly string[]
}

export const bad = (code: string, fixed: string | null = null): BadCode => ({ code, fixed })

/** Runs each rule of a pack over its own snippets, in every language it is for. */
export function testRules(rules: readonly Rule[], table: Readonly<Record<string, RuleCases>>): void {
  it('has snippets for exactly its rules', () => {
    expect(Object.keys(table).toSorted()).toEqual(rules.map((rule) => rule.id).toSorted())
  })
  describe.each(rules.map((rule) => ({ rule, cases: table[rule.id] ?? { bad: [], good: [] } })))(
    '$rule.id',
    ({ rule, cases }) => {
      const paths = cases.paths ?? (rule.id.startsWith('py/') ? ['a.py'] : ['a.js', 'a.ts', 'a.tsx'])
      it('has one bad and two good snippets at least', () => {
        expect(cases.bad.length).toBeGreaterThanOrEqual(1)
        expect(cases.good.length).toBeGreaterThanOrEqual(2)
      })
      it('offers a fix in its snippets exactly when it has one', () => {
        expect(cases.bad.some(({ fixed }) => fixed !== null)).toBe(rule.fix !== undefined)
      })
      describe.each(paths)('in %s', (path) => {
        it.each(cases.bad)('matches $code', (snippet) => expectMatch(rule, path, snippet))
        it.each(cases.good)('is silent on %s', (code) => expect(matchesOf(rule, path, code)).toEqual([]))
      })
    },
  )
}

function expectMatch(rule: Rule, path: string, { code, fixed }: BadCode): void {
  const matches = matchesOf(rule, path, code)
  expect(matches).toHaveLength(1)
  const edits = matches[0]?.edits ?? null
  expect(edits && applyEdits(code, edits)).toBe(fixed)
  if (fixed !== null) expect(matchesOf(rule, path, fixed)).toEqual([])
  else expect(matches[0]?.suggestion).toBeTypeOf('string')
}

function matchesOf(rule: Rule, path: string, code: string): readonly Match[] {
  const scan = scanSource(code, path, [rule])
  expect(scan).toMatchObject({ status: 'reviewed' })
  return scan.status === 'skipped' ? [] : scan.matches
}
