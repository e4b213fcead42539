import { insertAfter, insertBefore, replace } from '../../engine/edits.ts'
import { hasKind, isAsync, isFunction, isInAsyncFunction } from '../../engine/node.ts'
import { callOf, importEdits } from './syntax.ts'
import type { Node, Rule } from '../../engine/rule.ts'

const builtInErrors =
  'Exception|RuntimeError|ValueError|TypeError|KeyError|IndexError|LookupError|AttributeError|NotImplementedError|' +
  'OSError|IOError|PermissionError|FileNotFoundError|TimeoutError|AssertionError|ConnectionError|ImportError'

export const pythonErrorRules: readonly Rule[] = [
  {
    id: 'py/assert-tuple',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'Assertion on a tuple',
    message: 'A tuple with something in it is always true, so this assertion never fails.',
    why: 'The test or check is green whatever happens.',
    advice: 'Remove the parentheses around the condition and the message.',
    references: ['https://docs.python.org/3/reference/simple_stmts.html#assert'],
    effort: 1,
    query: { rule: { kind: 'assert_statement', has: { kind: 'tuple' } } },
    accepts: (node) => {
      const [tuple, ...others] = node.namedChildren()
      return hasKind(tuple, 'tuple') && others.length === 0 && (tuple?.namedChildren().length ?? 0) > 0
    },
    fix: (node) => {
      const [tuple] = node.namedChildren()
      const [condition, message, ...others] = tuple?.namedChildren() ?? []
      const isOneLine = tuple !== undefined && !tuple.text().includes('\n')
      if (!condition || !message || others.length > 0 || !isOneLine) return null
      return [replace(tuple, `${condition.text()}, ${message.text()}`)]
    },
  },
  {
    id: 'py/bare-except',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'Bare except',
    message: 'A bare except also catches KeyboardInterrupt, SystemExit and task cancellation.',
    why: 'The program cannot be stopped with Ctrl-C and hides errors that nobody expected.',
    references: ['CWE-396', 'https://docs.python.org/3/howto/logging.html'],
    effort: 1,
    query: { rule: { kind: 'except_clause' } },
    accepts: (node) =>
      hasKind(node.children()[1], ':') && node.find({ rule: { kind: 'raise_statement' } }) === null,
    fix: (node) => {
      const [keyword] = node.children()
      return keyword ? [insertAfter(keyword, ' Exception')] : null
    },
  },
  {
    id: 'py/silent-except',
    languages: ['Python'],
    severity: 'minor',
    category: 'maintainability',
    title: 'Every exception swallowed',
    message: 'All exceptions are caught here and nothing is done about them.',
    why: 'Failures leave no trace, and the program goes on with whatever state they left.',
    advice: 'Catch what is expected, log the rest, or say in a comment why nothing is to be done.',
    references: ['CWE-390'],
    effort: 2,
    query: { rule: { kind: 'except_clause' } },
    accepts: (node) => {
      const [type, block, ...others] = node.namedChildren()
      const isBroad = /^(?:BaseException|Exception)(?: as \w+)?$/.test(type?.text() ?? '')
      return isBroad && others.length === 0 && /^(?:pass|\.\.\.)$/.test(block?.text() ?? '')
    },
  },
  {
    id: 'py/raise-not-implemented',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'NotImplemented raised',
    message: 'NotImplemented is a value for operators, not an exception; raising it is a TypeError.',
    why: 'Callers that handle NotImplementedError get an unrelated error instead.',
    references: ['https://docs.python.org/3/library/exceptions.html#NotImplementedError'],
    effort: 1,
    query: { rule: { kind: 'raise_statement', regex: '^raise NotImplemented(?:\\(|$)' } },
    fix: (node) => {
      const [value] = node.namedChildren()
      const name = hasKind(value, 'call') ? value?.field('function') : value
      return name ? [replace(name, 'NotImplementedError')] : null
    },
  },
  {
    id: 'py/finally-return',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'Return inside finally',
    message: 'A return in finally replaces the result of the try block and swallows its exceptions.',
    why: 'Errors raised in the try or except block disappear without a trace.',
    advice: 'Return after the finally block, and keep only clean-up inside of it.',
    references: ['CWE-584', 'https://docs.python.org/3/reference/compound_stmts.html#finally-clause'],
    effort: 2,
    query: { rule: { kind: 'return_statement', inside: { kind: 'finally_clause', stopBy: 'end' } } },
    accepts: (node) => {
      const nearest = node
        .ancestors()
        .find((around) => isFunction(around) || hasKind(around, 'finally_clause'))
      return hasKind(nearest, 'finally_clause')
    },
  },
  {
    id: 'py/raise-without-from',
    languages: ['Python'],
    severity: 'minor',
    category: 'maintainability',
    title: 'New exception without its cause',
    message: 'The new exception does not name the caught one as its cause.',
    why: 'The traceback reads as if a second, unrelated error had happened during handling.',
    references: ['https://docs.python.org/3/tutorial/errors.html#exception-chaining'],
    effort: 1,
    query: {
      rule: {
        kind: 'raise_statement',
        has: { kind: 'call' },
        inside: { kind: 'except_clause', stopBy: 'end' },
      },
    },
    accepts: (node) => {
      const name = caughtName(node)
      const callee = node.namedChildren()[0]?.field('function')?.text() ?? ''
      const isExit = /(?:^|\.)(?:SystemExit|Exit|Abort)$/.test(callee)
      return name !== null && node.field('cause') === null && !isExit && !callee.startsWith(`${name}.`)
    },
    fix: (node) => [insertAfter(node, ` from ${caughtName(node)}`)],
  },
  {
    id: 'py/unraised-exception',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'Exception created but not raised',
    message: 'The exception is created and dropped; the code goes on as if nothing had happened.',
    why: 'A check that should stop bad input lets it through.',
    references: ['CWE-390'],
    effort: 1,
    query: { rule: { kind: 'expression_statement', has: callOf(builtInErrors) } },
    accepts: (node) => hasKind(node.namedChildren()[0], 'call'),
    fix: (node) => [insertBefore(node, 'raise ')],
  },
  {
    id: 'py/blocking-sleep',
    languages: ['Python'],
    severity: 'major',
    category: 'performance',
    title: 'Blocking sleep in a coroutine',
    message: 'time.sleep stops the whole event loop, not only this coroutine.',
    why: 'No other request, timer or task makes progress in the meantime.',
    advice: 'Use await asyncio.sleep.',
    references: ['https://docs.python.org/3/library/asyncio-dev.html#running-blocking-code'],
    effort: 1,
    query: { rule: callOf('time\\.sleep') },
    accepts: isInAsyncFunction,
    fix: (node, source) => {
      const callee = node.field('function')
      const isStatement = hasKind(node.parent(), 'expression_statement')
      if (!callee || !isStatement) return null
      return [...importEdits(node, source, 'asyncio'), replace(callee, 'await asyncio.sleep')]
    },
  },
  {
    id: 'py/unawaited-coroutine',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'Coroutine never awaited',
    message: 'Calling an async function only makes a coroutine; without await its body does not run.',
    why: 'The work is silently not done.',
    advice: 'Await it in an async function, or start it with asyncio.run or a task that is kept.',
    references: ['https://docs.python.org/3/library/asyncio-dev.html#detect-never-awaited-coroutines'],
    effort: 1,
    query: { rule: { kind: 'module' } },
    locate: unawaitedCalls,
    fix: (node) => (isInAsyncFunction(node) ? [insertBefore(node, 'await ')] : null),
  },
]

/** The name under which the except clause around a raise holds its exception. */
function caughtName(node: Node): string | null {
  const nearest = node.ancestors().find((around) => isFunction(around) || hasKind(around, 'except_clause'))
  const [caught] = nearest && hasKind(nearest, 'except_clause') ? nearest.namedChildren() : []
  const target = caught?.namedChildren().find((child) => hasKind(child, 'as_pattern_target'))
  const name = target?.text() ?? null
  return name === null || name.startsWith('_') ? null : name
}

/** Statements that only call asyncio.sleep, wait_for or an async function of the same module. */
function unawaitedCalls(module: Node): Node[] {
  const names = coroutineNames(module)
  const statements: readonly Node[] = module.findAll({
    rule: { kind: 'expression_statement', has: { kind: 'call' } },
  })
  return statements.filter((statement) => {
    const [call] = statement.namedChildren()
    const callee = call && hasKind(call, 'call') ? (call.field('function')?.text() ?? '') : ''
    return (
      names.has(callee) ||
      (/^asyncio\.(?:sleep|wait_for)$/.test(callee) && call?.text().endsWith('()') === false)
    )
  })
}

/** Async functions of the module that are not decorated and have a name of their own. */
function coroutineNames(module: Node): ReadonlySet<string> {
  const defined: readonly Node[] = module.findAll({ rule: { kind: 'function_definition' } })
  const nameOf = (node: Node): string => node.field('name')?.text() ?? ''
  const others = new Set(defined.filter((each) => !isCoroutine(each)).map(nameOf))
  return new Set(
    defined
      .filter(isCoroutine)
      .map(nameOf)
      .filter((name) => !others.has(name)),
  )
}

const isCoroutine = (node: Node): boolean => isAsync(node) && hasKind(node.parent(), 'module')
