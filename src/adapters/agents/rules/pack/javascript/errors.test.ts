import { bad, testRules } from '../../../../../../test/fixtures/rule-table.ts'
import { javascriptErrorRules } from './errors.ts'

testRules(javascriptErrorRules, {
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
})
