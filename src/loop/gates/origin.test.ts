import { expect, it } from 'vitest'
import { judgedPatch, patchedTree, type Edit } from '../../../test/fixtures/judged-patch.ts'
import type { Verification } from '../../model/proof/verification.ts'
import type { OriginAnswer, Origins } from '../ports.ts'
import type { JudgedIssue } from './gate-definition.ts'
import { originGate } from './origin.ts'
import { runGates } from './run-gates.ts'

const green: Verification = {
  status: 'passed',
  reason: '',
  tree: patchedTree,
  commands: [],
  depends_on_patch: true,
}
/** Finds `rule` wherever a text says BAD, once for each BAD, and `other` where it says WORSE. */
const linter = (texts: (tree: string) => ReadonlyMap<string, string>): Origins => ({
  ask: async (_issue, { tree }, { files }) => ({
    found: [...texts(tree)]
      .filter(([file]) => files.includes(file))
      .flatMap(([file, text]) =>
        text.split('\n').flatMap((line, index) => {
          const at = { file, line: index + 1, end_line: index + 1 }
          return [
            ...line.matchAll(/BAD/g).map(({ index: column }) => ({
              ...at,
              ...(line.includes('columns') && { column: column + 1 }),
              rule: 'no-bad',
              title: 'Bad',
            })),
            ...line.matchAll(/WORSE/g).map(() => ({ ...at, rule: 'no-worse', title: 'Worse' })),
          ]
        }),
      ),
  }),
})
const answers = (before: OriginAnswer | null, after: OriginAnswer | null): Origins => ({
  ask: async (_issue, { tree }) => (tree === patchedTree ? after : before),
})
const at = (line: number, current_code: string | null = null) => ({
  file: 'a.js',
  rule: 'no-bad',
  title: 'Bad',
  flagged_by: ['lint'],
  line,
  end_line: line,
  current_code,
})

interface Asked {
  readonly origins?: readonly Origins[]
  readonly others?: readonly JudgedIssue[]
}

async function originOf(edits: readonly Edit[], issue: JudgedIssue, { origins, others = [] }: Asked = {}) {
  const patch = judgedPatch(edits, { issue, others })
  const texts = (tree: string) =>
    new Map(
      edits.flatMap(([path, before, after]) => {
        const text = tree === patchedTree ? after : before
        return text === null ? [] : [[path, text] as const]
      }),
    )
  const ports = { ...patch.ports, origins: origins ?? [linter(texts)] }
  const verified = { verification: green, minEvidence: 'E1', claim: null } as const
  return (await runGates({ patch: { ...patch, ports }, verified }, { list: [originGate] }))[0]
}
const file = (before: string, after: string): readonly Edit[] => [['a.js', before, after]]

it('of several issues that one patch is for, each must be gone', async () => {
  const before = 'BAD 1\nx\nBAD 2\n'
  const both = { others: [at(3)] }
  expect(await originOf(file(before, 'good\nx\ngood\n'), at(1), both)).toMatchObject({ status: 'passed' })
  expect(await originOf(file(before, 'good\nx\nBAD 2\n'), at(1), both)).toMatchObject({ status: 'failed' })
  const unknown = { others: [{ ...at(3), rule: 'else', flagged_by: ['a person'], line: null }] }
  const partly = await originOf(file(before, 'good\nx\ngood\n'), at(1), unknown)
  expect(partly?.status).not.toBe('passed')
})

it('a tool that is silent about the finding now is E2', async () => {
  expect(await originOf(file('x\nBAD\n', 'x\ngood\n'), at(2))).toMatchObject({
    status: 'passed',
    grade: 'E2',
  })
})

it.each<[string, readonly Edit[], JudgedIssue, string]>([
  ['the line went away', file('x\nBAD\ny\n', 'x\ny\n'), at(2), 'passed'],
  ['a guard above silences it', file('x\nBAD\n', 'guard\nx\ngood\n'), at(2), 'passed'],
  [
    'another place of the rule stays as it was',
    file('BAD 1\nx\nBAD 2\n', 'good\nx\nBAD 2\n'),
    at(1),
    'passed',
  ],
  ['its neighbour of the rule stays as it was', file('BAD 1\nBAD 2\n', 'good\nBAD 2\n'), at(1), 'passed'],
  [
    'the finding moved since it was found',
    file('y\nBAD 1\nx\nBAD 2\n', 'y\nBAD 1\nx\ngood\n'),
    at(3, 'BAD 2'),
    'passed',
  ],
  [
    'another place of the rule was fixed instead',
    file('BAD 1\nx\nBAD 2\n', 'BAD 1\nx\ngood\n'),
    at(1),
    'failed',
  ],
  ['its neighbour was fixed instead', file('BAD 1\nBAD 2\n', 'BAD 1\ngood\n'), at(1), 'failed'],
  [
    'its neighbour was fixed and its own line dressed up',
    file('BAD 1\nBAD 2\n', 'BAD one\ngood\n'),
    at(1),
    'failed',
  ],
  [
    'two stand in one line, and half of them was fixed',
    file('f(BAD, BAD)\n', 'f(BAD, good)\n'),
    at(1),
    'failed',
  ],
  ...(
    [
      ['its own one is gone', 'columns(BAD, BAD)', 'columns(good, BAD)', 9, 'passed'],
      [
        'its own one is gone, behind the other',
        'columns(BAD + 12345, BAD)',
        'columns(BAD + 12345, good)',
        22,
        'passed',
      ],
      ['both are gone', 'columns(BAD, BAD)', 'columns(good, good)', 9, 'passed'],
      ['the other one is gone', 'columns(BAD, BAD)', 'columns(BAD, good)', 9, 'failed'],
      ['the other one in front is gone', 'columns(BAD, BAD)', 'columns(good, BAD)', 14, 'failed'],
      ['both are still there', 'columns(BAD, BAD)', 'columns(BAD,  BAD)', 9, 'failed'],
    ] as const
  ).map(([what, before, after, column, status]): [string, readonly Edit[], JudgedIssue, string] => [
    `two issues stand in one line, and ${what}`,
    file(`${before}\n`, `${after}\n`),
    { ...at(1), column },
    status,
  ]),
  ['the code moved with the finding', file('BAD\nx\ny\n', 'x\ny\nBAD\n'), at(1), 'failed'],
  ['the fix brings a finding of another rule', file('BAD\n', 'WORSE\n'), at(1), 'failed'],
  [
    'the fix brings one in another file',
    [...file('BAD\n', 'good\n'), ['b.js', 'b\n', 'BAD\n']],
    at(1),
    'failed',
  ],
])('%s', async (_name, edits, issue, status) => {
  expect(await originOf(edits, issue)).toMatchObject({ status })
})

const loud: OriginAnswer = { found: [{ rule: 'no-bad', title: 'Bad', file: 'a.js', line: 1, end_line: 1 }] }
const silent: OriginAnswer = { found: [] }
it.each<[string, readonly Origins[], string]>([
  ['one tool that is still loud is enough', [answers(loud, silent), answers(loud, loud)], 'failed'],
  [
    'a tool that cannot be asked leaves it open',
    [answers(loud, { unanswered: 'it crashed' })],
    'not_evaluated',
  ],
  ['a tool that was silent on the base proves nothing', [answers(silent, silent)], 'not_evaluated'],
  ['no tool, no question', [answers(null, null)], 'not_applicable'],
])('%s', async (_name, origins, status) => {
  expect(await originOf(file('BAD\n', 'BAD \n'), at(1), { origins })).toMatchObject({ status })
})
