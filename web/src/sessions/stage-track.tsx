import { stepNames, type Step, type StepName, type StepState } from '../../../src/client/index.ts'
import { formatDuration } from '../ui/format.ts'
import { useNow } from '../ui/use-now.ts'

const labels: Readonly<Record<StepName, string>> = {
  fix: 'Fix',
  verify: 'Verify',
  challenge: 'Challenge',
  land: 'Land',
}

const looks: Readonly<Record<StepState, { bar: string; text: string; said: string }>> = {
  waiting: { bar: 'bg-line', text: 'text-muted', said: 'not yet' },
  running: { bar: 'animate-pulse bg-accent', text: 'font-medium text-accent', said: 'running' },
  passed: { bar: 'bg-ok-fill', text: 'text-muted', said: 'passed' },
  refused: { bar: 'bg-bad-fill', text: 'font-medium text-bad', said: 'refused' },
  held: { bar: 'bg-warn-fill', text: 'font-medium text-warn', said: 'waits for you' },
  stopped: { bar: 'bg-warn-fill', text: 'font-medium text-warn', said: 'stopped' },
  skipped: { bar: 'bg-line opacity-50', text: 'text-muted line-through decoration-1', said: 'skipped' },
}

interface Props {
  readonly steps: Readonly<Record<StepName, Step>>
  /** Nobody works on the session, so nothing runs. */
  readonly isResting: boolean
}

/** Every stage with its result: passed, refused with the reason, running with its time, or skipped. */
export function StageTrack({ steps, isResting }: Props) {
  return (
    <span className="flex w-80 shrink-0 gap-1.5 max-xl:order-3 max-xl:w-full max-xl:shrink md:max-xl:pl-27.5">
      {stepNames.map((name) => {
        const step = steps[name]
        const state = isResting && step.state === 'running' ? 'stopped' : step.state
        const { bar, text, said } = looks[state]
        return (
          <span
            key={name}
            data-step={name}
            data-state={state}
            title={step.reason ?? `${labels[name]}: ${said}`}
            className="min-w-0 flex-1"
          >
            <span className={`block h-1 rounded-full ${bar}`} />
            <span className={`flex items-center gap-1 truncate text-[11px] leading-4 ${text}`}>
              {labels[name]}
              <StepTime step={step} isRunning={state === 'running'} />
              <span className="sr-only">{said}</span>
            </span>
          </span>
        )
      })}
    </span>
  )
}

function StepTime({ step, isRunning }: { readonly step: Step; readonly isRunning: boolean }) {
  const nowMs = useNow(isRunning ? 1_000 : null)
  const ms = step.tookMs + (isRunning && step.startedMs !== null ? Math.max(0, nowMs - step.startedMs) : 0)
  return ms < 1_000 ? null : <span className="font-normal text-muted no-underline">{formatDuration(ms)}</span>
}
