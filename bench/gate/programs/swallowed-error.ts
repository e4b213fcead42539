import type { Program } from '../program.ts'

export const program: Program = {
  name: 'swallowed-error',
  source: `export function load(read) {
  try {
    return JSON.parse(read())
  } catch {
    return {}
  }
}
export const save = (value) => JSON.stringify(value)
`,
  test: {
    keeps: `assert.deepEqual(m.load(() => 'x'), {}); assert.equal(m.save([1]), '[1]')`,
    shows: `assert.throws(() => m.load(() => { throw new Error('disk') }), /disk/)`,
  },
  heldBack: `assert.throws(() => m.load(() => { throw new Error('gone') }), /gone/)`,
  fix: [
    `  try {
    return JSON.parse(read())`,
    `  const text = read()
  try {
    return JSON.parse(text)`,
  ],
  partial: [
    `} catch {
    return {}`,
    `} catch (error) {
    if (error instanceof TypeError) throw error
    return {}`,
  ],
  overfit: [
    `} catch {
    return {}`,
    `} catch (error) {
    if (error.message === 'disk') throw error
    return {}`,
  ],
  breaks: ['JSON.stringify(value)', 'String(value)'],
}
