import { insertAfter, insertBefore, replace } from '../../engine/edits.ts'
import { calleeName, isBuiltText } from './syntax.ts'
import { javascriptFamily } from '../../engine/language.ts'
import { argumentsOf, hasKind, isAsync, isFunction, isInAsyncFunction } from '../../engine/node.ts'
import type { Node, PatternRule } from '../../engine/rule.ts'

const builtInError = /^(?:Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error$/

export const javascriptErrorRules: readonly PatternRule[] = [
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
    hint: /\bthrow\s+(?!new\b)/,
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
    hint: /\bthrow\s+new\b/,
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
    hint: /\btry\s*\{/,
    query: { rule: { kind: 'program' } },
    locate: unawaitedReturns,
    fix: (node) => {
      const [value] = node.namedChildren()
      return value ? [insertBefore(value, 'await ')] : null
    },
  },
]

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
