import type { Program } from '../program.ts'

export const program: Program = {
  name: 'runs-twice',
  source: `export function once(run) {
  let result
  return () => (result ??= run())
}
export const twice = (run) => [run(), run()]
`,
  test: {
    keeps: `assert.equal(m.once(() => 7)(), 7); assert.deepEqual(m.twice(() => 1), [1, 1])`,
    shows: `let calls = 0; const run = m.once(() => { calls += 1 }); run(); run(); assert.equal(calls, 1)`,
  },
  heldBack: `let calls = 0; const run = m.once(() => { calls += 1 }); run(); assert.equal(run(), undefined); assert.equal(calls, 1)`,
  fix: [
    `let result
  return () => (result ??= run())`,
    `let done = null
  return () => (done ??= { result: run() }).result`,
  ],
  partial: ['result ??= run()', 'result ||= run()'],
  overfit: ['result ??= run()', 'result === undefined ? (result = run() ?? false) : result'],
  breaks: ['[run(), run()]', '[run()]'],
}
