import { bad, testRules } from '../../../../../../test/fixtures/rule-table.ts'
import { javascriptErrorRules } from './errors.ts'

testRules(javascriptErrorRules, {
  'js/async-promise-executor': {
    bad: [bad('const p = new Promise(async (resolve) => { resolve(await load()) })')],
    good: ['new Promise((resolve) => resolve(1))', 'new Job(async () => {})', 'new Promise(run)'],
  },
  'js/async-foreach': {
    bad: [
      bad('items.forEach(async (item) => { await save(item) })'),
      bad('a.b.forEach(async function (x) { await x })'),
    ],
    good: [
      'items.forEach((item) => save(item))',
      'items.map(async (item) => save(item))',
      'items.forEach(save)',
    ],
  },
  'js/throw-literal': {
    bad: [
      bad("throw 'no user'", "throw new Error('no user')"),
      bad('throw `no user ${id}`;', 'throw new Error(`no user ${id}`);'),
      bad("if (x) throw 'no user ' + id", "if (x) throw new Error('no user ' + id)"),
    ],
    good: ["throw new Error('no user')", 'throw error', 'throw a + b', 'throw { status: 404 }'],
  },
  'js/lost-cause': {
    bad: [
      bad(
        "try { a() } catch (e) { throw new Error('no') }",
        "try { a() } catch (e) { throw new Error('no', { cause: e }) }",
      ),
      bad(
        'try { a() } catch (error) {\n  if (x) throw new TypeError(\n    `no ${error.message}`,\n  )\n}',
        'try { a() } catch (error) {\n  if (x) throw new TypeError(\n    `no ${error.message}`, { cause: error },\n  )\n}',
      ),
    ],
    good: [
      "try { a() } catch (e) { throw new Error('no', { cause: e }) }",
      "try { a() } catch { throw new Error('no') }",
      "try { a() } catch (_error) { throw new Error('no') }",
      "try { a() } catch (e) { throw new HttpError('no') }",
      "try { a() } catch (e) { on(() => { throw new Error('no') }) }",
      'try { a() } catch (e) { throw e }',
    ],
  },
  'js/unawaited-return-in-try': {
    bad: [
      bad(
        'async function f() { try { return fetch(url) } catch (e) { log(e) } }',
        'async function f() { try { return await fetch(url) } catch (e) { log(e) } }',
      ),
      bad(
        'async function load() {}\nconst f = async () => { try { if (x) { return load(1) } } catch (e) { log(e) } }',
        'async function load() {}\nconst f = async () => { try { if (x) { return await load(1) } } catch (e) { log(e) } }',
      ),
    ],
    good: [
      'async function f() { try { return await fetch(url) } catch (e) { log(e) } }',
      'async function f() { try { return parse(url) } catch (e) { log(e) } }',
      'function f() { try { return fetch(url) } catch (e) { log(e) } }',
      'async function f() { try { a() } catch (e) { return fetch(url) } }',
      'async function f() { try { return fetch(url) } finally { b() } }',
    ],
  },
  'js/unthrown-error': {
    bad: [bad("if (!user) { new Error('no user') }", "if (!user) { throw new Error('no user') }")],
    good: [
      "throw new Error('x')",
      "const e = new Error('x')",
      "log(new TypeError('x'))",
      'new ErrorBoundary()',
    ],
  },
  'js/empty-catch': {
    bad: [bad('try { a() } catch (e) {}'), bad('try { a() } catch {\n}')],
    good: [
      'try { a() } catch (e) { log(e) }',
      'try { a() } catch {\n  // absent is fine\n}',
      'try { a() } finally {}',
    ],
  },
  'js/unawaited-expect': {
    bad: [
      bad(
        "it('x', async () => { expect(load()).resolves.toBe(1) })",
        "it('x', async () => { await expect(load()).resolves.toBe(1) })",
      ),
      bad(
        "it('x', async () => { expect(f).rejects.not.toThrow() })",
        "it('x', async () => { await expect(f).rejects.not.toThrow() })",
      ),
      bad("it('x', () => { assert.rejects(load()) })"),
    ],
    good: [
      "it('x', async () => { await expect(load()).resolves.toBe(1) })",
      "it('x', () => { return expect(load()).rejects.toThrow() })",
      "it('x', () => expect(load()).rejects.toThrow())",
      "it('x', () => { expect(a).toBe(1) })",
    ],
  },
})
