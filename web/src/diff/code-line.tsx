import { useQuery } from '@tanstack/react-query'

/** The highlighter comes in a chunk of its own; until it is there, code is plain. */
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
  if (!highlighter) return text
  return highlighter.tokenize(text, highlighter.languageOf(path)).map((token, index) => (
    <span key={index} className={token.className}>
      {token.text}
    </span>
  ))
}
