import { z } from 'zod'
import type { App } from '../../app/open-app.ts'
import type { Background } from './background.ts'

/** What a tool works with. */
export interface ToolContext {
  readonly app: App
  readonly background: Background
  readonly signal: AbortSignal
}

/** One tool, as its client sees it and as it is run. */
export interface McpTool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly input: Input
  /** Whether it only reads. */
  readonly isReading: boolean
  run(input: z.output<Input>, context: ToolContext): Promise<object>
}

export const mcpTool = <Input extends z.ZodObject>(definition: McpTool<Input>): McpTool => definition

export const codes = z.array(z.string()).min(1).max(100).describe('Codes such as BE-001.')
