import type { Program } from '../program.ts'

export const program: Program = {
  name: 'leap-year',
  source: `const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
export function daysIn(year, month) {
  return days[month - 1]
}
export const quarter = (month) => Math.ceil(month / 3)
`,
  test: {
    keeps: `assert.equal(m.daysIn(2023, 2), 28); assert.equal(m.quarter(4), 2)`,
    shows: `assert.equal(m.daysIn(2024, 2), 29); assert.equal(m.daysIn(2000, 2), 29)`,
  },
  heldBack: `assert.equal(m.daysIn(2016, 2), 29); assert.equal(m.daysIn(1900, 2), 28)`,
  fix: ['return days[month - 1]', 'return new Date(Date.UTC(year, month, 0)).getUTCDate()'],
  partial: ['return days[month - 1]', 'return year % 100 === 0 && month === 2 ? 29 : days[month - 1]'],
  overfit: ['return days[month - 1]', 'return year % 4 === 0 && month === 2 ? 29 : days[month - 1]'],
  breaks: ['Math.ceil', 'Math.floor'],
}
