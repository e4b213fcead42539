import { describe, expect, it } from 'vitest'
import { readReviewerAnswer } from './reviewer-answer.ts'
import type { WrittenFinding } from './finding.ts'

const context = { source: { kind: 'agent', name: 'claude' }, root: '/repo' } as const

const answer = {
  groups: [
    {
      description: 'Independent fixes',
      findings: [
        {
          id: 'F001',
          file: './src/run.py',
          line: '45-67',
          title: 'Raw subprocess',
          issue: 'Uses raw subprocess instead of the runner.',
          severity: 'high',
          category: 'library_standards',
          fix_hint: 'Use the runner',
          suggested_fix: 'run(command)',
          estimated_effort: 2,
          estimated_files_count: 1,
        },
      ],
    },
  ],
  coverage: { reviewed: ['src/run.py'], partly: ['a.py'], skipped: [{ file: 'b.py', why: 'too long' }] },
}

const expected: WrittenFinding = {
  source: context.source,
  rule: null,
  title: 'Raw subprocess',
  description: 'Uses raw subprocess instead of the runner.',
  severity: 'major',
  severity_note: null,
  category: 'library_standards',
  file: 'src/run.py',
  line: 45,
  end_line: 67,
  suggested_fix: 'Use the runner\nrun(command)',
  references: [],
  estimated_effort: 2,
  estimated_files_count: 1,
  group: 'Independent fixes',
  suppressed: null,
  place_note: null,
}

/** The one finding that a written one becomes. */
function readOne(finding: object): WrittenFinding {
  const read = readReviewerAnswer(JSON.stringify({ findings: [finding] }), context)
  if (!('findings' in read) || read.findings[0] === undefined) throw new Error(JSON.stringify(read))
  return read.findings[0]
}

describe("a reviewer's answer", () => {
  it.each([
    ['bare', JSON.stringify(answer)],
    [
      'in a fence among prose',
      `Here it is:\n\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\`\nDone {ok}.`,
    ],
    ['after an example of the same shape', `{"groups": []}\nNow mine:\n${JSON.stringify(answer)}`],
  ])('is read %s', (_, text) => {
    expect(readReviewerAnswer(text, context)).toEqual({
      findings: [expected],
      coverage: {
        reviewed: ['src/run.py'],
        partly: [{ file: 'a.py', why: 'no reason was given' }],
        skipped: [{ file: 'b.py', why: 'too long' }],
      },
    })
  })

  it('with empty groups means that nothing was found', () => {
    expect(readReviewerAnswer('{"groups": []}', context)).toEqual({ findings: [], coverage: null })
  })

  it.each([
    ['', 'it holds no JSON object'],
    ['I found no problems. Everything looks good!', 'it holds no JSON object'],
    ['{"result": "ok"}', 'its JSON has neither "groups" nor "findings"'],
    ['{"groups": "none"}', 'its findings are not a list'],
    ['{"groups": [{"findings": {}}]}', 'group 0 is not an object with a list of "findings"'],
    [
      '{"groups": [{"findings": [{"title": "x"}, {"file": "a"}]}]}',
      'in group 0, finding 1 has neither "title"',
    ],
    ['{"findings": ["x"]}', 'finding 0 is not an object'],
  ])('%j is unreadable, never "no findings"', (text, reason) => {
    expect(readReviewerAnswer(text, context)).toEqual({ unreadable: expect.stringContaining(reason) })
  })

  it.each([
    [45, 45, 45],
    ['45', 45, 45],
    ['45-67', 45, 67],
    ['L45-L67', 45, 67],
    ['67 to 45', 67, 67],
    [0, null, null],
    ['', null, null],
    [undefined, null, null],
  ])('reads the line %j', (line, start, end) => {
    expect(readOne({ title: 't', file: 'a.ts', line })).toMatchObject({
      line: start,
      end_line: end,
      place_note: null,
    })
  })

  it('keeps a finding whose line cannot be read, and says so', () => {
    expect(readOne({ title: 't', file: 'a.ts', line: 'near the end' })).toMatchObject({
      file: 'a.ts',
      line: null,
      place_note: 'the line "near the end" could not be read',
    })
  })

  it.each(['../../etc/passwd', '/etc/passwd', 'a\0b', 'C:\\Windows\\x'])(
    'keeps a finding at %j without its place',
    (file) => {
      const read = readOne({ title: 't', file, line: 3 })
      expect(read).toMatchObject({ file: null, line: null, end_line: null })
      expect(read.place_note).toContain(' line 3: ')
    },
  )

  it('says so when a severity is not known, and keeps numbers in their range', () => {
    const read = readOne({
      issue: 'Long. Text.',
      severity: 'scary',
      estimated_effort: 9,
      estimated_files_count: '0',
    })
    expect(read).toMatchObject({
      title: 'Long',
      description: 'Long. Text.',
      severity: 'minor',
      severity_note: 'severity "scary" is not known: taken as minor',
      estimated_effort: 5,
      estimated_files_count: 1,
      place_note: 'no file was given',
    })
  })
})
