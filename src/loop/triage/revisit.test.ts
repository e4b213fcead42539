import { describe, expect, it } from 'vitest'
import { sampleIssue } from '../../../test/fixtures/issue.ts'
import { locateCode, revisitCode, revisitFile, wakeIgnored } from './revisit.ts'

const commit = 'c'.repeat(40)
const at = (lines: readonly string[] | null) => ({ lines, commit })
const issue = sampleIssue({ line: 2, end_line: 3, current_code: 'a == b\nrun()' })

describe('an issue that is held against later code', () => {
  it('stays as it is where its code stands as it stood', () => {
    expect(revisitCode(issue, at(['x', '  a  ==  b', 'run()']))).toBeNull()
    expect(revisitCode(sampleIssue({ file: null, line: null }), at(null))).toBeNull()
    expect(revisitCode(sampleIssue({ anchor: 'unanchored' }), at(null))).toBeNull()
  })

  it('is stale, with why, when its code or its file is gone, and never fixed', () => {
    expect(revisitCode(issue, at(['x', 'a === b', 'run()']))).toEqual({
      ...issue,
      anchor: 'stale',
      resolution_note: 'stale: its code is not in src/a.js at cccccccccccc',
    })
    expect(revisitCode(issue, at(null))).toMatchObject({
      status: 'open',
      anchor: 'stale',
      resolution_note: 'stale: src/a.js is not there at cccccccccccc',
    })
    expect(revisitCode({ ...issue, anchor: 'stale' }, at(null))).toBeNull()
  })

  it('follows its code to the nearest place that has it', () => {
    const lines = ['a == b', 'run()', 'x', 'y', 'z', 'a == b', 'run()']
    expect(revisitCode({ ...issue, line: 5, end_line: 6 }, at(lines))).toMatchObject({
      anchor: 'moved',
      line: 6,
      end_line: 7,
    })
  })

  it('is found by what stands before a secret that its stored code no longer holds', () => {
    const current_code = 'a()\nkey = "[redacted: api key]"\nrun()'
    const held = sampleIssue({ line: 1, end_line: 3, current_code })
    expect(revisitCode(held, at(['a()', 'key = "true"', 'run()']))).toBeNull()
    expect(revisitCode(held, at(['x', 'a()', 'key = "true"', 'run()']))).toMatchObject({ line: 2 })
    expect(revisitCode(held, at(['a()', 'other = "true"', 'run()']))).toMatchObject({ anchor: 'stale' })
  })

  it('is no longer stale when its code is back', () => {
    const stale = { ...issue, anchor: 'stale', resolution_note: 'stale: gone' } as const
    expect(revisitCode(stale, at(['x', 'a == b', 'run()']))).toEqual({
      ...issue,
      anchor: 'exact',
      resolution_note: null,
    })
    const wholeFile = sampleIssue({
      line: null,
      end_line: null,
      anchor: 'stale',
      resolution_note: 'stale: gone',
    })
    expect(revisitCode(wholeFile, at(['x']))).toMatchObject({ anchor: 'exact', resolution_note: null })
  })
})

describe('copies of one problem in one file', () => {
  const copy = (line: number) => sampleIssue({ line, end_line: line, current_code: 'debugger' })

  it('stay apart: the one that was taken out is stale, and never moves onto the other', () => {
    expect(revisitFile([copy(1), copy(3)], at(['debugger', 'x', 'y']))).toEqual([
      { ...copy(3), anchor: 'stale', resolution_note: 'stale: its code is not in src/a.js at cccccccccccc' },
    ])
  })

  it('follow their code one to one when all of it moved', () => {
    const moved = revisitFile([copy(1), copy(2)], at(['x', 'y', 'debugger', 'debugger']))
    expect(moved.map(({ anchor, line }) => ({ anchor, line }))).toEqual([
      { anchor: 'moved', line: 3 },
      { anchor: 'moved', line: 4 },
    ])
  })

  it('may share a line with another problem', () => {
    const other = { ...copy(1), rule: 'js/other' }
    expect(revisitFile([copy(2), other], at(['debugger', 'x']))).toMatchObject([{ anchor: 'moved', line: 1 }])
  })
})

describe('the place of code', () => {
  it('does not depend on blank lines that it begins with', () => {
    expect(locateCode('\n  a()', 1, { lines: ['x', '', 'a()'] })).toBe(2)
    expect(locateCode('', 2, { lines: ['x', ''] })).toBe(2)
    expect(locateCode('', 9, { lines: ['x', ''] })).toBeNull()
  })
})

describe('an ignored issue', () => {
  const ignored = (until: string | null) =>
    sampleIssue({ status: 'ignored', ignored: { reason: 'later', until } })
  it('is open again when its time is over, and only then', () => {
    expect(wakeIgnored(ignored('2030-01-02'), '2030-01-02T00:00:00.000Z')).toMatchObject({
      status: 'open',
      ignored: null,
    })
    expect(wakeIgnored(ignored('2030-01-02'), '2030-01-01T23:59:59.000Z')).toBeNull()
    expect(wakeIgnored(ignored(null), '2030-01-02T00:00:00.000Z')).toBeNull()
    expect(wakeIgnored(sampleIssue(), '2030-01-02T00:00:00.000Z')).toBeNull()
  })
})
