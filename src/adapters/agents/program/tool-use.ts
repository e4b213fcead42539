import type { AgentEnding } from '../../../model/agent/agent.ts'
import { failed } from './ending.ts'

/** What became of the tools that an agent used. */
export interface ToolUse {
  readonly worked: number
  /** The CLI's own words for that it could not even start one. */
  readonly unstarted: string | null
}

export const noTools: ToolUse = { worked: 0, unstarted: null }

/** What CLIs say when there is no shell, or it cannot be started; what a command itself says comes after its own words. */
const unstartable =
  /^(?:[`\s]|Error: |Command failed: )*((?:No suitable shell found|spawn \S+ E[A-Z]+\b|bwrap: )[^\n]*)/

/** One more tool has ended, with what was said of it. */
export const afterTool = (
  use: ToolUse,
  tool: { readonly isError: boolean; readonly text: string },
): ToolUse =>
  tool.isError
    ? { ...use, unstarted: use.unstarted ?? unstartable.exec(tool.text)?.[1] ?? null }
    : { ...use, worked: use.worked + 1 }

/** The ending of a run that could use none of its tools; null for any other. */
export const unusableEnding = ({ worked, unstarted }: ToolUse): AgentEnding | null =>
  worked === 0 && unstarted !== null ? failed('tools_unavailable', unstarted) : null
