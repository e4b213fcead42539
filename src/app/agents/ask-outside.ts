import { createLimits, type AgentLimits } from '../../loop/context/limits.ts'
import type { Waiting } from '../../loop/context/provider-waits.ts'
import { describeWait } from '../../loop/context/step-events.ts'
import type { Clock } from '../../loop/ports.ts'

/** Who asks: the application, of which no more is needed. */
interface Asker {
  readonly loaded: { readonly config: { readonly fix: { readonly patience_ms: number } } }
  readonly say: (line: string) => void
}

export interface AskingOutside {
  readonly limits: AgentLimits
  readonly onWait: NonNullable<Waiting['onWait']>
}

const nothing = { usd: null, tokens: null }

/** For questions outside of a session: the providers' limits hold, nothing is budgeted, and each wait is reported. */
export const askOutside = ({ loaded, say }: Asker, clock: Clock): AskingOutside => ({
  limits: createLimits({ session: nothing, issue: nothing }, clock, {
    patienceMs: loaded.config.fix.patience_ms,
  }),
  onWait: async (wait) => say(describeWait(wait)),
})
