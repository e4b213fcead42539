import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { processorMs } from '../../../test/fixtures/processor-time.ts'
import { findJsonObjects } from '../json-text.ts'
import { readFixerReport } from './report.ts'

const one = {
  outcome: 'fixed',
  files_modified: ['a.ts'],
  changes_summary: 's',
  explanation: 'e',
  self_evaluation: { confidence: 97, completeness: 'full', risks: ['r'] },
}
const read = {
  outcome: 'fixed',
  files_modified: ['a.ts'],
  changes_summary: 's',
  explanation: 'e',
  confidence: 97,
  completeness: 'full',
  risks: ['r'],
}
const outcomeOf = (text: string) => readFixerReport(text, ['BE-001'])?.issues.get('BE-001')

describe('the report of a fixer', () => {
  it('is the last object that is one, wherever it stands', () => {
    const text = `thinking { about } it\n${JSON.stringify({ issues: { 'BE-001': { outcome: 'blocked' } } })}\nand then\n${JSON.stringify({ issues: { 'BE-001': one } })}\ndone`
    expect(outcomeOf(text)).toEqual(read)
  })
  it.each([
    ['outcomes[]', { outcomes: [{ id: 'BE-001', outcome: 'fixed', explanation: 'e' }] }],
    [
      'status and file_modified',
      { issue_code: 'BE-001', status: 'fixed', file_modified: 'a.ts', explanation: 'e' },
    ],
  ])('is read in the shape of %s', (_name, value) => {
    expect(outcomeOf(JSON.stringify(value))).toMatchObject({ outcome: 'fixed', explanation: 'e' })
  })
  it('defers an issue that it does not mention', () => {
    expect(outcomeOf(JSON.stringify({ issues: {} }))).toMatchObject({
      outcome: 'deferred',
      explanation: 'no report',
    })
  })
  it('defers an issue whose outcome is no known word', () => {
    expect(outcomeOf(JSON.stringify({ issues: { 'BE-001': { outcome: 'done!' } } }))).toMatchObject({
      outcome: 'deferred',
    })
  })
  it('notes unknown and doubled ids without failing', () => {
    const text = JSON.stringify({
      outcomes: [
        { id: 'BE-001', outcome: 'fixed' },
        { id: 'BE-001', outcome: 'blocked' },
        { id: 'X', outcome: 'fixed' },
      ],
    })
    const report = readFixerReport(text, ['BE-001'])
    expect(report?.issues.get('BE-001')?.outcome).toBe('fixed')
    expect(report?.notes).toEqual([
      'reported twice on BE-001; the first report counts',
      'reported on X, which it was not given',
    ])
  })
  it('is none when there is no JSON to read', () => {
    expect(readFixerReport('I fixed it!', ['BE-001'])).toBeNull()
  })
  it('drops a confidence that is none', () => {
    expect(
      outcomeOf(JSON.stringify({ issues: { 'BE-001': { ...one, self_evaluation: { confidence: 900 } } } }))
        ?.confidence,
    ).toBeNull()
  })
})

describe('JSON objects in text', () => {
  it('are found with braces in strings', () => {
    expect(findJsonObjects('x {"a": "}{", "b": "\\"}"} y')).toEqual([{ a: '}{', b: '"}' }])
  })
  it('are the same as JSON.parse gives, among any prose without braces', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.stringMatching(/^[a-z \n]*$/),
        (value, prose) => {
          const text = JSON.stringify(value)
          expect(findJsonObjects(`${prose}${text}${prose}`).at(0)).toEqual(
            JSON.parse(text.replaceAll('\uFEFF', '')),
          )
        },
      ),
      { numRuns: 60 },
    )
  })
  it('a million braces take no time to give up on', async () => {
    const took = await processorMs(() => {
      expect(findJsonObjects('{'.repeat(1_000_000))).toEqual([])
      expect(findJsonObjects(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`)).toBeInstanceOf(Array)
    })
    expect(took).toBeLessThan(5_000)
  })
})
