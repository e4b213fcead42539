import type { App } from '../../app/open-app.ts'
import type { CommandContext } from '../command.ts'
import type { Eyes } from './display.ts'
import { lineEyes } from './line-display.ts'
import { screenEyes } from './screen-display.ts'
import { terminalFor } from '../terminal.ts'

/** The whole screen where there is one and nobody said otherwise; else lines. */
export function openEyes(app: App, context: CommandContext, isScreenWanted = true): Eyes {
  const terminal = terminalFor(context, isScreenWanted)
  return terminal ? screenEyes(app, context.output, terminal) : lineEyes(app, context.output)
}
