import { indentAt, insertAfter, insertBefore, newlineOf, replace } from '../../engine/edits.ts'
import { endOf, startOf } from '../../engine/node.ts'
import { isDocstring } from './syntax.ts'
import type { Edit, Node } from '../../engine/rule.ts'

/** Moves a parameter's default into the body: `a=None`, and `if a is None: a = …` before the first statement. */
export function defaultToNone(parameter: Node, source: string): Edit[] | null {
  const name = parameter.field('name')?.text()
  const value = parameter.field('value')
  const body = parameter.parent()?.parent()?.field('body')
  const type = noneableType(parameter, source)
  const [first] = body?.namedChildren() ?? []
  if (!name || !value || !body || !first || type === null || !isEmpty(value)) return null

  const indent = indentAt(source, startOf(body))
  const stepsIn = indent.slice(indentAt(source, startOf(parameter.parent()?.parent() ?? body)).length)
  if (source.slice(0, startOf(body)).split('\n').at(-1) !== indent || stepsIn === '') return null

  const newline = newlineOf(source)
  const guard = `if ${name} is None:${newline}${indent}${stepsIn}${name} = ${value.text()}`
  const inserted = isDocstring(first, 0)
    ? insertAfter(first, `${newline}${indent}${guard}`)
    : insertBefore(first, `${guard}${newline}${indent}`)
  const followsDocstring =
    isDocstring(first, 0) && !/^[ \t]*(?:#.*)?(?:\r?\n|$)/.test(source.slice(endOf(first)))
  return followsDocstring ? null : [...type, replace(value, 'None'), inserted]
}

/** Only an empty value is certain to be no state that is kept between calls on purpose. */
const isEmpty = (value: Node): boolean => /^(?:\[\]|\{\}|\w+\(\))$/.test(value.text())

/** The edit that lets the annotation include None; null where that needs a decision. */
function noneableType(parameter: Node, source: string): Edit[] | null {
  const type = parameter.field('type')
  if (!type || /\bNone\b|^Optional\b|^(?:typing\.)?Any$/.test(type.text())) return []
  if (/^from __future__ import .*\bannotations\b/m.test(source)) return [insertAfter(type, ' | None')]
  if (/^from typing import .*\bOptional\b/m.test(source)) return [replace(type, `Optional[${type.text()}]`)]
  return null
}
