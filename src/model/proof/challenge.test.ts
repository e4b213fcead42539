import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyThreshold, readVerdict, weighScores } from './challenge.ts'

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
