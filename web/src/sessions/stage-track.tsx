import type { LaneStage } from '../../../src/client/index.ts'

const steps: readonly (readonly [LaneStage, string])[] = [
  ['fixing', 'Fix'],
  ['verifying', 'Verify'],
  ['challenging', 'Challenge'],
  ['landing', 'Land'],
]

const reached: Readonly<Record<LaneStage, number>> = {
  waiting: 0,
  fixing: 1,
  held: 1,
  verifying: 2,
  challenging: 3,
  landing: 4,
  done: 5,
}

/** How far an issue has come through the stages. The badge beside it says the same in words. */
export function StageTrack({
  stage,
  outcome,
  isMoving,
}: {
  readonly stage: LaneStage
  readonly outcome: string | null
  readonly isMoving: boolean
}) {
  const at = reached[stage]
  const now = isMoving && stage !== 'held' ? 'animate-pulse bg-accent' : 'bg-warn-fill'
  const isGood = outcome === null || outcome === 'fixed'
  return (
    <span aria-hidden className="flex w-60 gap-1 max-sm:order-3 max-sm:w-full">
      {steps.map(([name, label], index) => {
        const place = index + 1
        const isDone = at > place
        const isNow = at === place
        const done = isGood ? 'bg-ok-fill' : 'bg-muted'
        return (
          <span key={name} className="flex-1">
            <span className={`block h-1 rounded-full ${isDone ? done : isNow ? now : 'bg-line'}`} />
            <span className={`text-[10px] leading-3 ${isNow ? 'font-medium text-accent' : 'text-muted'}`}>
              {label}
            </span>
          </span>
        )
      })}
    </span>
  )
}
