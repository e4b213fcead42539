import { cutText } from '../../../model/issue/finding-text.ts'
import type { WrittenResult } from './result.ts'
import type { Tool, ToolRule } from './tool.ts'

/** What a result says, in plain words: its text, else its rule's message, else what the rule is about; empty when all are silent. */
export function messageOf(result: WrittenResult, rule: ToolRule | null, tool: Tool): string {
  const named = result.messageId === null ? null : tool.findMessage(rule, result.messageId, result.extension)
  const template = result.text ?? named
  if (template === null) return rule?.summary ?? result.ruleId ?? ''
  return unlink(fillIn(template, result.args))
}

/** Puts arguments for `{0}`; doubled braces are braces. */
function fillIn(template: string, args: readonly string[]): string {
  if (args.length === 0 || !template.includes('{')) return template
  const filled = template.replaceAll(/\{\{|\}\}|\{(\d{1,4})\}/g, (part, index?: string) => {
    if (index === undefined) return part.slice(1)
    return args[Number(index)] ?? part
  })
  return cutText(filled, 8_000)
}

/** `[text](1)` points at a related location, which is listed apart. */
const unlink = (text: string): string =>
  text.includes('](') ? text.replaceAll(/\[([^[\]]*)\]\(\d+\)/g, '$1') : text
