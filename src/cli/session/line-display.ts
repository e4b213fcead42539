import type { App } from '../../app/open-app.ts'
import { openQuestions } from '../../model/issue/questions.ts'
import type { Output } from '../command/output.ts'
import { askApprovals } from './ask-approvals.ts'
import { askQuestions } from './ask-questions.ts'
import type { SessionDisplay } from './display.ts'
import { createProgress } from './progress.ts'

/** A line per issue on a terminal, plain lines or events elsewhere; questions one after the other. */
export function lineDisplay(app: App, output: Output): SessionDisplay {
  return {
    say: output.say,
    async begin(interrupts) {
      const progress = createProgress(output, process.stderr)
      const unsubscribe = app.subscribe(progress.onEvent)
      return {
        signals: interrupts,
        async end() {
          unsubscribe()
          progress.end()
        },
      }
    },
    async ask({ result }) {
      if (!output.isInteractive) return false
      if (result.status !== 'awaiting_clarification') return askApprovals(app, result.session_id)
      const issues = await app.store.issues.get(result.results.map(({ issue_id }) => issue_id))
      return askQuestions(app, openQuestions(issues))
    },
    close: async () => undefined,
  }
}
