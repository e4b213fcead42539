import { insertAfter, insertBefore, replace } from '../../engine/edits.ts'
import { argumentsOf, hasKind, isFunction, stringValue } from '../../engine/node.ts'
import { isAssignedAround, isFixedString } from './syntax.ts'
import type { Edit, Node, Rule } from '../../engine/rule.ts'

export const pythonLoopRules: readonly Rule[] = [
  {
    id: 'py/loop-closure',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'Lambda keeps the loop variable, not its value',
    message: 'The lambda reads the loop variable when it is called, which is after the loop has moved on.',
    why: 'Every stored function works with the last element.',
    advice: 'Bind the value as a default argument, or with functools.partial.',
    references: [
      'https://docs.python.org/3/faq/programming.html#why-do-lambdas-defined-in-a-loop-with-different-values-all-return-the-same-result',
    ],
    effort: 1,
    query: { rule: { kind: 'lambda' } },
    accepts: (node) => isStored(node) && capturedLoopNames(node).length > 0,
    fix: (node) => bindNames(node, capturedLoopNames(node)),
  },
  {
    id: 'py/mutated-iteration',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'Collection changed while it is iterated',
    message: 'Removing from a collection during the loop over it skips elements or raises RuntimeError.',
    why: 'Every second element to be removed stays, so the clean-up is only half done.',
    references: ['https://docs.python.org/3/tutorial/controlflow.html#for-statements'],
    effort: 1,
    query: { rule: { kind: 'for_statement' } },
    locate: (loop) => [firstRemoval(loop)].filter((found) => found !== null),
    fix: (node) => {
      const loop = loopAround(node)
      const iterated = loop?.field('right')
      return iterated ? [replace(iterated, `list(${iterated.text()})`)] : null
    },
  },
  {
    id: 'py/missing-f-prefix',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'Placeholder in a string that is no f-string',
    message: 'Without the prefix f the braces stay in the text as written.',
    why: 'Users and logs get the name of the variable instead of its value.',
    references: ['https://docs.python.org/3/reference/lexical_analysis.html#f-strings'],
    effort: 1,
    query: { rule: { kind: 'string', regex: '\\{[A-Za-z_]', inside: { kind: 'argument_list' } } },
    accepts: isMeantAsFString,
    fix: (node) => [insertBefore(node, 'f')],
  },
]

const isLoop = (node: Node): boolean => hasKind(node, 'for_statement', 'list_comprehension')

/** The loop that the lambda is made in, unless a function stands between. */
function loopAround(node: Node): Node | null {
  const nearest = node.ancestors().find((around) => isFunction(around) || isLoop(around))
  return nearest && isLoop(nearest) ? nearest : null
}

/** Loop variables that the body reads and the lambda does not bind itself. */
function capturedLoopNames(lambda: Node): string[] {
  const loop = loopAround(lambda)
  const target = hasKind(loop, 'list_comprehension')
    ? loop
        ?.namedChildren()
        .find((child) => hasKind(child, 'for_in_clause'))
        ?.field('left')
    : loop?.field('left')
  const body = lambda.field('body')
  if (!target || !body) return []
  const bound = new Set(namesIn(lambda.field('parameters')))
  const read = new Set(namesIn(body))
  return [...new Set(namesIn(target))].filter((name) => read.has(name) && !bound.has(name))
}

function namesIn(node: Node | null): string[] {
  if (!node) return []
  const found: readonly Node[] = hasKind(node, 'identifier')
    ? [node]
    : node.findAll({ rule: { kind: 'identifier' } })
  return found.filter((each) => !isPartOfName(each)).map((each) => each.text())
}

/** `b` of `a.b`, and the name of a keyword argument, are no variables. */
function isPartOfName(node: Node): boolean {
  const parent = node.parent()
  const name = parent?.field(hasKind(parent, 'attribute') ? 'attribute' : 'name')
  return hasKind(parent, 'attribute', 'keyword_argument') && name?.id() === node.id()
}

/** Kept beyond this turn of the loop: appended, put under a key, or an element of the made list. */
function isStored(lambda: Node): boolean {
  const parent = lambda.parent()
  if (hasKind(parent, 'list_comprehension')) return parent?.field('body')?.id() === lambda.id()
  if (hasKind(parent, 'assignment')) return hasKind(parent?.field('left'), 'subscript')
  const callee = hasKind(parent, 'argument_list') ? parent?.parent()?.field('function') : null
  return callee?.field('attribute')?.text() === 'append'
}

function bindNames(lambda: Node, names: readonly string[]): Edit[] | null {
  const bindings = names.map((name) => `${name}=${name}`).join(', ')
  const parameters = lambda.field('parameters')
  if (parameters) {
    const areSimple = parameters
      .namedChildren()
      .every((each) => hasKind(each, 'identifier', 'default_parameter'))
    return areSimple ? [insertAfter(parameters, `, ${bindings}`)] : null
  }
  const keyword = lambda.children().find((child) => hasKind(child, 'lambda'))
  return keyword ? [insertAfter(keyword, ` ${bindings}`)] : null
}

/** The statement of a loop that takes something out of what it iterates, and does not leave the loop then. */
function firstRemoval(loop: Node): Node | null {
  const subject = iteratedName(loop)
  const body = loop.field('body')
  if (subject === null || !body) return null
  const statements: readonly Node[] = body.findAll({
    rule: { any: [{ kind: 'expression_statement' }, { kind: 'delete_statement' }] },
  })
  const isRemoval = (each: Node): boolean =>
    takesFrom(each.text(), subject) && loopAround(each)?.id() === loop.id()
  return statements.find((each) => isRemoval(each) && !leavesLoop(each)) ?? null
}

/** `items` of a loop over items, items.keys() and the like. */
function iteratedName(loop: Node): string | null {
  const iterated = loop.field('right')?.text() ?? ''
  const name = /^([\w.]+?)(?:\.(?:keys|values|items)\(\))?$/.exec(iterated)?.[1] ?? null
  // What taking something out of `self` does is up to its class.
  return name === 'self' ? null : name
}

function takesFrom(statement: string, subject: string): boolean {
  if (!statement.startsWith(subject)) return statement.startsWith(`del ${subject}[`)
  return /^\.(?:remove|pop|discard|popitem|clear)\(/.test(statement.slice(subject.length))
}

const leavesLoop = (statement: Node): boolean =>
  statement.nextAll().some((each) => hasKind(each, 'break_statement', 'return_statement', 'raise_statement'))

/** The only argument of print() or of a raised error, with nothing but known names in its braces. */
function isMeantAsFString(node: Node): boolean {
  const text = stringValue(node)
  const call = node.parent()?.parent()
  if (text === null || !call || !isFixedString(node) || argumentsOf(call).length !== 1) return false
  const isRaised = hasKind(call.parent(), 'raise_statement')
  if (!isRaised && call.field('function')?.text() !== 'print') return false
  const names = [...text.matchAll(/\{([A-Za-z_]\w*)(?:\.\w+)*\}/g)].map((found) => found[1] ?? '')
  const isSimple = names.length === text.split('{').length - 1 && names.length === text.split('}').length - 1
  return isSimple && names.every((name) => isAssignedAround(node, name))
}
