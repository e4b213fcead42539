import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyThreshold, readVerdict, vetoOf, weighScores } from './challenge.ts'

const scores = { correctness: 95, safety: 95, minimality: 90, style_consistency: 90 }
const answer = (issue: unknown, code = 'BE-001'): string => JSON.stringify({ issues: { [code]: issue } })

describe('the score', () => {
  it('is computed: correctness 40 %, safety 30 %, minimality 15 %, style 15 %', () => {
    expect(weighScores(scores, 12)).toBe(93.5)
    expect(weighScores({ ...scores, correctness: 60 }, 100)).toBe(79.5)
  })
  it("takes the model's own word only when one of the four is missing", () => {
    expect(weighScores({ correctness: 10 }, 88)).toBe(88)
    expect(weighScores({ correctness: 10 }, undefined)).toBeNull()
  })
  it('passes at the threshold and not below it', () => {
    const verdict = { score: 90, quality_scores: {}, feedback: '', improvements_needed: [] }
    expect(applyThreshold(verdict, 90, 'x').status).toBe('accepted')
    expect(applyThreshold({ ...verdict, score: 89.9 }, 90, 'x').status).toBe('refused')
  })
})

describe('a veto', () => {
  const high = { correctness: 100, safety: 100, minimality: 100, style_consistency: 100 }
  it.each([
    ['reject with full marks', { quality_scores: high, verdict: 'reject' }, 'refused', 'would not merge'],
    ['REJECT in capitals', { quality_scores: high, verdict: ' REJECT ' }, 'refused', 'would not merge'],
    ['reject with an own score only', { score: 100, verdict: 'reject' }, 'refused', 'would not merge'],
    ['correctness 49', { quality_scores: { ...high, correctness: 49 } }, 'refused', 'correctness'],
    ['safety 49', { quality_scores: { ...high, safety: 49 } }, 'refused', 'safety is below 50'],
    [
      'safety 49 with merge',
      { quality_scores: { ...high, safety: 49 }, verdict: 'merge' },
      'refused',
      'safety',
    ],
    ['safety 49 and an own score', { score: 100, quality_scores: { safety: 49 } }, 'refused', 'safety'],
    ['safety 50', { quality_scores: { ...high, safety: 50 } }, 'accepted', null],
    ['minimality 0', { quality_scores: { ...high, minimality: 0 } }, 'accepted', null],
    ['merge', { quality_scores: high, verdict: 'merge' }, 'accepted', null],
    ['no verdict', { quality_scores: high }, 'accepted', null],
    ['a verdict of null', { quality_scores: high, verdict: null }, 'accepted', null],
    ['merge below the threshold', { score: 79, verdict: 'merge' }, 'refused', null],
  ])('%s', (_name, issue, status, why) => {
    const verdict = readVerdict(answer(issue), 'BE-001')
    if (!('score' in verdict)) throw new Error(verdict.unreadable)
    const challenge = applyThreshold(verdict, 80, 'x')
    expect(challenge.status).toBe(status)
    expect(vetoOf(challenge)).toEqual(why === null ? null : expect.stringContaining(why))
  })
})

describe('a readable answer', () => {
  it.each([
    ['plain', answer({ quality_scores: scores, feedback: 'ok' })],
    [
      'in prose and a fence',
      `Here:\n\`\`\`json\n${answer({ quality_scores: scores, feedback: 'ok' })}\n\`\`\`\nbye {`,
    ],
    [
      'with a BOM and colours',
      `\uFEFF\u001B[32m${answer({ quality_scores: scores, feedback: 'ok' })}\u001B[0m`,
    ],
    [
      'after a template',
      `${answer({ score: 0 }, 'CODE')}\n${answer({ quality_scores: scores, feedback: 'ok' })}`,
    ],
    [
      'with trailing commas',
      '{"issues": {"BE-001": {"feedback": "ok", "quality_scores": {"correctness": 95, "safety": 95, "minimality": 90, "style": 90,},},},}',
    ],
    [
      'twice the same',
      `${answer({ quality_scores: scores, feedback: 'ok' })} ${answer({ quality_scores: scores, feedback: 'ok' })}`,
    ],
    ['after code', `if (a) { b }\nelse {\n${answer({ quality_scores: scores, feedback: 'ok' })}`],
    ['over CRLF lines', answer({ quality_scores: scores, feedback: 'ok' }).replaceAll(',', ',\r\n')],
  ])('%s', (_name, text) => {
    expect(readVerdict(text, 'BE-001')).toMatchObject({ score: 93.5, feedback: 'ok' })
  })
})

describe('never a score', () => {
  it.each([
    ['nothing', ''],
    ['prose', 'Great fix, 100 points!'],
    ['HTML', '<html><body>502</body></html>'],
    ['truncated', answer({ quality_scores: scores }).slice(0, -4)],
    ['another id', answer({ quality_scores: scores }, 'BE-002')],
    ['ours and another id', JSON.stringify({ issues: { 'BE-001': { score: 99 }, 'BE-002': { score: 99 } } })],
    ['no ids', JSON.stringify({ issues: {} })],
    ['101', answer({ score: 101 })],
    ['a negative score', answer({ score: -1 })],
    ['NaN', '{"issues": {"BE-001": {"score": NaN}}}'],
    ['a text as a score', answer({ score: '100' })],
    ['only the word SOLVED', answer({ status: 'SOLVED' })],
    ['a list', answer([100])],
    ['a bare score', JSON.stringify({ score: 100 })],
    [
      '101 on one axis, with an own score',
      answer({ score: 100, quality_scores: { ...scores, safety: 101 } }),
    ],
    ['an answer inside a cut-off one', `{"draft": 1, "final": ${answer({ quality_scores: scores })}`],
    ['an answer inside a broken one', `{"draft": NaN, "final": ${answer({ quality_scores: scores })}}`],
    ['two that contradict', `${answer({ score: 20 })} ${answer({ score: 100 })}`],
    ['two that contradict, the low one last', `${answer({ score: 100 })} ${answer({ score: 20 })}`],
    ['a verdict that is none', answer({ score: 100, verdict: 'maybe' })],
    [
      'two verdicts',
      `${answer({ score: 100, verdict: 'reject' })} ${answer({ score: 100, verdict: 'merge' })}`,
    ],
    ['the id twice', '{"issues": {"BE-001": {"score": 20}, "BE-001": {"score": 100}}}'],
    ['the score twice', '{"issues": {"BE-001": {"score": 20, "score": 100}}}'],
    ['the score twice, one in escapes', String.raw`{"issues": {"BE-001": {"score": 20, "sc\u006fre": 100}}}`],
    ['issues twice', '{"issues": {"BE-001": {"score": 20}}, "issues": {"BE-001": {"score": 100}}}'],
    ['__proto__', '{"issues": {"__proto__": {"score": 100}}}'],
  ])('%s', (_name, text) => expect(readVerdict(text, 'BE-001')).toHaveProperty('unreadable'))

  it('any text at all is read without a crash', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), (text) => {
        expect(readVerdict(`{"issues"${text}`, 'BE-001')).toBeTypeOf('object')
      }),
    )
  })
})
