/** A runner that prints TAP as tape does, so that the bench needs no package. It begins once all files are loaded. */
export const tapeText = `const tests = []
let count = 0
let failed = 0
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b)
export default function test(name, options, run = options) {
  if (typeof options === 'object' && options.skip) { tests.push({ name, run: null }); return }
  tests.push({ name, run })
}
test.skip = (name) => tests.push({ name, run: null })
test.only = (name, run) => tests.push({ name, run, isOnly: true })
function say(isOk, text) {
  count += 1
  if (!isOk) failed += 1
  console.log((isOk ? 'ok ' : 'not ok ') + count + ' ' + text)
  if (!isOk) console.log('  ---\\n    operator: equal\\n  ...')
}
process.once('beforeExit', async () => {
  console.log('TAP version 13')
  const only = tests.filter((each) => each.isOnly)
  for (const { name, run } of only.length > 0 ? only : tests) {
    console.log('# ' + (run ? '' : 'SKIP ') + name)
    if (!run) continue
    const t = {
      equal: (a, b, text = 'should be strictly equal') => say(a === b, text),
      deepEqual: (a, b, text = 'should be deeply equivalent') => say(same(a, b), text),
      ok: (value, text = 'should be truthy') => say(Boolean(value), text),
      fail: (text = 'fail') => say(false, text),
      end() {},
    }
    try { await run(t) } catch (error) { say(false, String(error)) }
  }
  console.log('\\n1..' + count + '\\n# tests ' + count + '\\n# pass  ' + (count - failed))
  console.log(failed > 0 ? '# fail  ' + failed + '\\n' : '\\n# ok\\n')
  if (failed > 0) process.exitCode = 1
})
`
