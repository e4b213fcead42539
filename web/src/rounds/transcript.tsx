import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { artifactQuery, artifactsQuery } from '../api/queries.ts'
import { visible } from '../ui/visible.ts'
import { Shown } from '../ui/states.tsx'
import { readTranscript, type Said } from './read-transcript.ts'

interface Props {
  readonly sessionId: string
  readonly code: string
  readonly round: number
}

/** In the order in which they were said. */
const titles: readonly (readonly [RegExp, string])[] = [
  [/(^|\/)prompt(-\d+)?\.md$/, 'Prompt'],
  [/transcript(-\d+)?\.jsonl$/, 'What the fixer did'],
  [/(^|\/)answer(-\d+)?\.txt$/, 'Answer'],
  [/challeng.*-prompt\.md$/, 'Prompt of the challenger'],
  [/challeng.*-answer\.txt$/, 'Answer of the challenger'],
]

const titleOf = (name: string): string | null =>
  titles.findLast(([pattern]) => pattern.test(name))?.[1] ?? null

/** The whole kept conversation of a round: prompt, tool calls, answers. */
export function Transcript({ sessionId, code, round }: Props) {
  const { data } = useQuery(artifactsQuery(sessionId))
  const [opened, setOpened] = useState<string | null>(null)
  const names = (data?.names ?? []).filter(
    (name) => name.startsWith(`${code}/round-${round}/`) || name.startsWith(`${code}/round-${round}-`),
  )
  const kept = titles.flatMap(([, title]) =>
    names.filter((name) => titleOf(name) === title).map((name) => ({ name, title })),
  )
  if (kept.length === 0) return null
  const link = opened === null ? null : data?.links?.[data.names.indexOf(opened)]
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-1.5">
        {kept.map(({ name, title }) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === opened}
            onClick={() => setOpened(name === opened ? null : name)}
            className="rounded-full border px-2.5 py-0.5 text-xs text-muted hover:text-fg aria-pressed:border-accent aria-pressed:text-accent"
          >
            {title}
          </button>
        ))}
      </div>
      {opened !== null && <Kept sessionId={sessionId} name={opened} />}
      {link && (
        <a href={link} target="_blank" rel="noreferrer" className="self-start text-xs text-accent underline">
          Read it where it is kept
        </a>
      )}
    </div>
  )
}

function Kept({ sessionId, name }: { readonly sessionId: string; readonly name: string }) {
  const query = useQuery(artifactQuery(sessionId, name))
  return (
    <Shown query={query} rows={3}>
      {(text) => (
        <div
          tabIndex={0}
          role="region"
          aria-label={titleOf(name) ?? name}
          className="max-h-96 overflow-auto rounded-md border bg-sunken p-3 font-mono text-xs leading-4.5 whitespace-pre-wrap wrap-anywhere"
        >
          {name.endsWith('.jsonl') ? <Steps said={readTranscript(text)} /> : visible(text)}
        </div>
      )}
    </Shown>
  )
}

const Steps = ({ said }: { readonly said: readonly Said[] }) =>
  said.length === 0 ? (
    'It said nothing but its answer.'
  ) : (
    <ol className="flex flex-col gap-1.5">
      {said.map((one, index) => (
        <li key={index}>
          {one.tool !== null && <span className="mr-2 font-semibold text-accent">{one.tool}</span>}
          {visible(one.text)}
        </li>
      ))}
    </ol>
  )
