import { describe, expect, it } from 'vitest'
import type { SessionResult } from '../../model/session/session-result.ts'
import { differencesOf } from './judge-demo.ts'

type IssueResult = SessionResult['results'][number]

const ended = (outcome: IssueResult['outcome'], rounds: readonly object[] = []): IssueResult =>
  ({ issue_code: 'BE-001', outcome, reason: 'so', rounds }) as unknown as IssueResult

const failing = (output: string) => ({ verification: { commands: [{ status: 'failed', output }] } })
const landed = Array.from({ length: 5 }, () => ended('fixed'))
const log = landed.map((_, index) => `commit ${index}`)
const refused = ended('refused', [failing('not ok 1 - an order')])

describe('a demo', () => {
  it('went as intended with five landed, one refused by its tests, and one without a safe fix', () => {
    expect(differencesOf({ results: [...landed, refused, ended('needs_agent')] }, log)).toEqual([])
  })

  it('says how many fixes are missing, and that commits and fixes do not match', () => {
    expect(differencesOf({ results: [...landed.slice(1), refused] }, log)).toEqual([
      'only 4 fixes landed, at least 5 should have',
      '4 fixes landed, but the branch has 5 commits',
    ])
  })

  it('says when nothing was refused by tests, or refused without their output', () => {
    const nothingRefused = 'no fix was refused by the tests of the sample'
    expect(differencesOf({ results: landed }, log)).toEqual([nothingRefused])
    expect(differencesOf({ results: [...landed, ended('refused', [failing(' ')])] }, log)).toEqual([
      nothingRefused,
      'BE-001 ended as refused: so',
    ])
  })

  it('names every issue that ended in another way', () => {
    expect(
      differencesOf({ results: [...landed, refused, ended('not_evaluated'), ended(null)] }, log),
    ).toEqual(['BE-001 ended as not_evaluated: so', 'BE-001 ended as unfinished: so'])
  })
})
