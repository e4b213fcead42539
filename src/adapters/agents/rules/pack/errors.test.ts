import { bad, testRules } from '../../../../../test/fixtures/rule-table.ts'
import { errorRules } from './errors.ts'

testRules(errorRules, {
  'js/throw-literal': {
    bad: [
      bad("throw 'no user'", "throw new Error('no user')"),
      bad('throw `no user ${id}`;', 'throw new Error(`no user ${id}`);'),
      bad("if (x) throw 'no user ' + id", "if (x) throw new Error('no user ' + id)"),
    ],
    good: ["throw new Error('no user')", 'throw error', 'throw a + b', 'throw { status: 404 }'],
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
      'async function f() { try { await a(); return Promise.resolve() } catch (e) { log(e) } }',
    ],
  },
})
