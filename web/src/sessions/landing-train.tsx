import type { FixEvent } from '../../../src/model/session/event.ts'
import { formatSentence, formatTime } from '../ui/format.ts'
import { visible } from '../ui/visible.ts'
import { Card, LiveText } from '../ui/layout.tsx'

/** The look of a landing's step; a step without a commit did not land. */
function lookOf({ type, commit_sha: sha }: FixEvent): { readonly dot: string; readonly text: string } {
  if (type === 'fix_landing_started') return { dot: 'bg-accent', text: '' }
  return sha === null ? { dot: 'bg-bad-fill', text: 'text-bad' } : { dot: 'bg-ok-fill', text: '' }
}

interface Props {
  readonly landings: readonly FixEvent[]
  /** The live output of the checks that judge the patches together. */
  readonly output: string
}

interface Step {
  readonly event: FixEvent
  readonly text: string
}

/** A landing that is over is told once, with how many patches it was; one at work by its beginning. */
const stepsOf = (landings: readonly FixEvent[]): readonly Step[] =>
  landings.flatMap((event, index) => {
    const begun = event.type === 'fix_landing_started'
    if (begun && landings[index + 1]) return []
    if (begun || event.commit_sha === null) return [{ event, text: formatSentence(event.message) }]
    const count = /^landing (\d+ patch(?:es)?) on /.exec(landings[index - 1]?.message ?? '')?.[1]
    return [{ event, text: `${count ? `${count} landed` : 'Landed'}: ${event.message}` }]
  })

/** Every landing: the patches that were tried together, and the result. */
export function LandingTrain({ landings, output }: Props) {
  if (landings.length === 0 && output === '') return null
  return (
    <Card title="Landing">
      {output !== '' && (
        <div className="mb-3 flex flex-col gap-1.5">
          <p>The accepted patches are checked together.</p>
          <LiveText label="What the checks of the landing print" text={output} />
        </div>
      )}
      <ol className="flex flex-col gap-2 border-l pl-4">
        {stepsOf(landings).map(({ event, text: said }) => {
          const { dot, text } = lookOf(event)
          return (
            <li key={event.seq} className="relative">
              <span aria-hidden className={`absolute top-1.5 -left-[1.28rem] size-2 rounded-full ${dot}`} />
              <span className={`wrap-anywhere ${text}`}>{visible(said)}</span>
              <time dateTime={event.timestamp} className="ml-3 text-xs text-muted">
                {formatTime(event.timestamp)}
              </time>
            </li>
          )
        })}
      </ol>
    </Card>
  )
}
