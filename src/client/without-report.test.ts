import { expect, test } from 'vitest'
import { withoutReport, type ReportDepth } from './without-report.ts'

const report = { groups: [{ findings: [{ title: 'A brace } in a text' }] }], coverage: {} }

const spoken = (pieces: readonly string[]): string => {
  let depth: ReportDepth = 0
  return pieces
    .map((piece) => {
      const heard = withoutReport(piece, depth)
      depth = heard.depth
      return heard.text
    })
    .filter((text) => text.trim() !== '')
    .join('\n')
}

test.each([
  ['on one line', JSON.stringify(report)],
  ['on many lines', JSON.stringify(report, null, 2)],
  ['in a block', `\`\`\`json\n${JSON.stringify(report, null, 2)}\n\`\`\``],
  ['with the braces at the ends of lines', '{ "groups": [\n  { "findings": [] } ], "coverage": {\n} }'],
])('a report %s is not shown as something said, however it comes', (_, text) => {
  const whole = `Looking.\n${text}\nDone.`
  expect(spoken([whole])).toBe('Looking.\nDone.')
  expect(spoken(whole.split('\n'))).toBe('Looking.\nDone.')
})

test('code that an agent shows is something said', () => {
  const said = 'Before:\n```js\nif (a) {\n  b()\n}\n```\n{x} stays'
  expect(spoken([said])).toBe(said)
})
