import type { Program } from '../program.ts'

export const program: Program = {
  name: 'time-zone',
  source: `export const day = (time) => new Date(time).getDate()
export const year = (time) => new Date(time).getUTCFullYear()
`,
  test: {
    keeps: `assert.equal(m.day('2024-05-05T12:00:00Z'), 5); assert.equal(m.year('2024-05-05T12:00:00Z'), 2024)`,
    shows: `process.env.TZ = 'Asia/Tokyo'; assert.equal(m.day('2024-01-31T23:00:00Z'), 31); process.env.TZ = 'America/Los_Angeles'; assert.equal(m.day('2024-02-01T01:00:00Z'), 1)`,
  },
  heldBack: `process.env.TZ = 'America/Los_Angeles'; assert.equal(m.day('2024-01-31T23:00:00-05:00'), 1)`,
  fix: ['getDate()', 'getUTCDate()'],
  partial: ['new Date(time).getDate()', 'new Date(Date.parse(time) - 9 * 3600000).getDate()'],
  overfit: ['new Date(time).getDate()', 'Number(time.slice(8, 10))'],
  breaks: ['getUTCFullYear()', 'getYear()'],
}
