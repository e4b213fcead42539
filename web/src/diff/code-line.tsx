import { useQuery } from '@tanstack/react-query'
import { visible } from '../ui/visible.ts'

/** The highlighter comes in a chunk of its own; code is plain until the chunk is there. */
export const useHighlighter = () =>
  useQuery({ queryKey: ['highlighter'], queryFn: () => import('./highlight.ts'), staleTime: Infinity }).data

export type Highlighter = ReturnType<typeof useHighlighter>

export function CodeLine({
  text,
  path,
  highlighter,
}: {
  readonly text: string
  readonly path: string
  readonly highlighter: Highlighter
}) {
  if (!highlighter) return visible(text)
  return highlighter.tokenize(visible(text), highlighter.languageOf(path)).map((token, index) => (
    <span key={index} className={token.className}>
      {token.text}
    </span>
  ))
}
