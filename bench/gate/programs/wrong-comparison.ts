import type { Program } from '../program.ts'

export const program: Program = {
  name: 'wrong-comparison',
  source: `export const isNewer = (a, b) => a > b
export const major = (version) => Number(version.split('.')[0])
`,
  test: {
    keeps: `assert.equal(m.isNewer('1.2.0', '1.1.0'), true); assert.equal(m.major('12.3.4'), 12)`,
    shows: `assert.equal(m.isNewer('1.10.0', '1.9.0'), true); assert.equal(m.isNewer('2.0.0', '10.0.0'), false)`,
  },
  heldBack: `assert.equal(m.isNewer('2.0.0', '1.9.0'), true); assert.equal(m.isNewer('1.0.10', '1.0.9'), true)`,
  fix: ['a > b', `a.localeCompare(b, 'en', { numeric: true }) > 0`],
  partial: ['a > b', 'parseFloat(a) > parseFloat(b)'],
  overfit: ['a > b', `Number(a.split('.')[1]) > Number(b.split('.')[1])`],
  breaks: ['[0])', '[1])'],
}
