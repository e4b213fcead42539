import { insertAfter, insertBefore, replace } from '../../engine/edits.ts'
import { calleeName, isBuiltText, methodCall } from './syntax.ts'
import { javascriptFamily } from '../../engine/language.ts'
import { argumentsOf, hasKind, isAsync, isFunction, isInAsyncFunction } from '../../engine/node.ts'
import type { Node, Rule } from '../../engine/rule.ts'

const builtInError = /^(?:Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error$/

export const javascriptErrorRules: readonly Rule[] = [
  {
    id: 'js/async-promise-executor',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Async function as promise executor',
    message: 'What an async executor throws does not reject the new promise; it is never settled.',
    why: 'An error inside leaves every waiting caller hanging, and ends the process as an unhandled rejection.',
    advice: 'Make the surrounding function async and drop the Promise constructor.',
    references: [
      'https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Promise/Promise',
    ],
    effort: 3,
    query: { rule: { kind: 'new_expression', has: { field: 'constructor', regex: '^Promise$' } } },
    accepts: (node) => isAsyncFunction(argumentsOf(node)[0]),
  },
  {
    id: 'js/async-foreach',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Async callback in forEach',
    message: 'forEach does not wait for promises: the code after it runs before the callbacks are done.',
    why: 'Work is cut off or races with what follows, and its errors become unhandled rejections.',
    advice: 'Use `for (const item of items) await …`, or `await Promise.all(items.map(async …))`.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Array/forEach'],
    effort: 2,
    query: { rule: methodCall('forEach') },
    accepts: (node) => isAsyncFunction(argumentsOf(node)[0]),
  },
  {
    id: 'js/throw-literal',
    languages: javascriptFamily,
    severity: 'minor',
    category: 'correctness',
    title: 'Text thrown instead of an Error',
    message: 'A thrown string has no stack and no message property.',
    why: 'Handlers that read error.message get undefined, and nobody sees where the failure came from.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Statements/throw'],
    effort: 1,
    query: { rule: { kind: 'throw_statement' } },
    accepts: (node) => {
      const [value] = node.namedChildren()
      return value !== undefined && (hasKind(value, 'string', 'template_string') || isBuiltText(value))
    },
    fix: (node) => {
      const [value] = node.namedChildren()
      return value ? [replace(value, `new Error(${value.text()})`)] : null
    },
  },
  {
    id: 'js/lost-cause',
    languages: javascriptFamily,
    severity: 'minor',
    category: 'maintainability',
    title: 'New error without its cause',
    message: 'The caught error is replaced by a new one that does not carry it as its cause.',
    why: 'The stack that shows what really went wrong is lost.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Error/cause'],
    effort: 1,
    query: {
      rule: {
        kind: 'throw_statement',
        has: { kind: 'new_expression' },
        inside: { kind: 'catch_clause', stopBy: 'end' },
      },
    },
    accepts: (node) => caughtName(node) !== null && onlyArgument(node) !== null,
    fix: (node) => {
      const argument = onlyArgument(node)
      return argument && [insertAfter(argument, `, { cause: ${caughtName(node)} }`)]
    },
  },
  {
    id: 'js/unawaited-return-in-try',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Promise returned from try without await',
    message:
      'The function leaves the try block before the promise settles, so its catch never sees a rejection.',
    why: 'The error handling written here does not run for exactly the call it surrounds.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Statements/async_function'],
    effort: 1,
    query: { rule: { kind: 'program' } },
    locate: unawaitedReturns,
    fix: (node) => {
      const [value] = node.namedChildren()
      return value ? [insertBefore(value, 'await ')] : null
    },
  },
  {
    id: 'js/unthrown-error',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Error created but not thrown',
    message: 'The error is created and dropped; the code goes on as if nothing had happened.',
    why: 'A check that should stop bad input lets it through.',
    references: ['CWE-390'],
    effort: 1,
    query: { rule: { kind: 'expression_statement', has: { kind: 'new_expression' } } },
    accepts: (node) => {
      const [created] = node.namedChildren()
      return builtInError.test(created?.field('constructor')?.text() ?? '')
    },
    fix: (node) => [insertBefore(node, 'throw ')],
  },
  {
    id: 'js/empty-catch',
    languages: javascriptFamily,
    severity: 'minor',
    category: 'maintainability',
    title: 'Empty catch block',
    message: 'Every error of the try block is swallowed here, expected or not.',
    why: 'Failures leave no trace, and the program goes on with whatever state they left.',
    advice:
      'Handle or log the error, throw what is not expected, or say in a comment why nothing is to be done.',
    references: ['CWE-1069'],
    effort: 2,
    query: { rule: { kind: 'catch_clause' } },
    accepts: (node) => node.field('body')?.namedChildren().length === 0,
  },
  {
    id: 'js/unawaited-expect',
    languages: javascriptFamily,
    severity: 'major',
    category: 'testing',
    title: 'Assertion on a promise is not awaited',
    message: 'The assertion settles later; nothing waits for it, so the test passes whatever comes out.',
    why: 'The test is green even when the code under test does the opposite.',
    advice: 'Make the test async and await the assertion, or return it.',
    effort: 1,
    query: { rule: { kind: 'expression_statement', has: { kind: 'call_expression' } } },
    accepts: (node) => {
      const [call] = node.namedChildren()
      return call !== undefined && isAsyncAssertion(call)
    },
    fix: (node) => (isInAsyncFunction(node) ? [insertBefore(node, 'await ')] : null),
  },
]

const isAsyncFunction = (node: Node | undefined): boolean =>
  node !== undefined && isFunction(node) && isAsync(node)

/** The name under which the catch clause around a throw holds its error. */
function caughtName(node: Node): string | null {
  const nearest = node.ancestors().find((around) => isFunction(around) || hasKind(around, 'catch_clause'))
  const parameter = nearest && hasKind(nearest, 'catch_clause') ? nearest.field('parameter') : null
  const name = hasKind(parameter, 'identifier') ? (parameter?.text() ?? null) : null
  return name === null || name.startsWith('_') ? null : name
}

/** The message of a thrown built-in error that is given nothing else. */
function onlyArgument(node: Node): Node | null {
  const [created] = node.namedChildren()
  if (!created || !hasKind(created, 'new_expression')) return null
  const [message, ...others] = argumentsOf(created)
  const name = created.field('constructor')?.text() ?? ''
  const isPlain = builtInError.test(name) && name !== 'AggregateError' && !hasKind(message, 'spread_element')
  return isPlain && others.length === 0 ? (message ?? null) : null
}

function isGuardedByCatch(node: Node): boolean {
  const around = node.ancestors()
  const block = around.find((each) => isFunction(each) || hasKind(each.parent(), 'try_statement'))
  const attempt = block?.parent()
  if (!block || isFunction(block) || !attempt) return false
  return attempt.field('body')?.id() === block.id() && attempt.field('handler') !== null
}

/** Returns of a promise in the try block of an async function. */
function unawaitedReturns(program: Node): Node[] {
  const names = asyncFunctionNames(program)
  const returns: readonly Node[] = program.findAll({
    rule: {
      kind: 'return_statement',
      has: { kind: 'call_expression' },
      inside: { kind: 'try_statement', stopBy: 'end' },
    },
  })
  return returns.filter((node) => {
    const [value] = node.namedChildren()
    return isPromiseCall(value, names) && isGuardedByCatch(node) && isInAsyncFunction(node)
  })
}

function asyncFunctionNames(program: Node): ReadonlySet<string> {
  const declared = program
    .namedChildren()
    .flatMap((child) => (hasKind(child, 'export_statement') ? child.namedChildren() : [child]))
  const functions = declared.filter((each) => hasKind(each, 'function_declaration') && isAsync(each))
  return new Set(functions.map((each) => each.field('name')?.text() ?? ''))
}

/** A call that certainly gives a promise: well known ones, and async functions of the same file. */
function isPromiseCall(node: Node | undefined, asyncNames: ReadonlySet<string>): boolean {
  if (!node || !hasKind(node, 'call_expression')) return false
  const callee = node.field('function')?.text() ?? ''
  const isKnown = /^(?:fetch|import|Promise\.\w+|axios\.\w+|(?:fs\.promises|fsp)\.\w+)$/.test(callee)
  return isKnown || asyncNames.has(callee) || (callee.includes('.') && calleeName(node) === 'then')
}

/** `expect(…).resolves.…()`, `expect(…).rejects.…()` and `assert.rejects()`. */
function isAsyncAssertion(call: Node): boolean {
  if (/^assert\.(?:rejects|doesNotReject)$/.test(call.field('function')?.text() ?? '')) return true
  let current: Node | null = call.field('function')
  let isAsyncForm = false
  while (current && hasKind(current, 'member_expression')) {
    isAsyncForm ||= /^(?:resolves|rejects)$/.test(current.field('property')?.text() ?? '')
    current = current.field('object')
  }
  return isAsyncForm && current?.field('function')?.text() === 'expect'
}
