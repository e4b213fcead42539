import type { Terminal } from '../../tui/draw.ts'
import type { Output } from '../command/output.ts'
import type { Watched } from './watched.ts'

interface Leaving {
  readonly terminal: Terminal
  readonly leaving: AbortController
  readonly onInterrupt: () => void
}

/** The whole screen until the person leaves it, also when the session is over. */
export async function watchScreen(
  watched: Watched,
  output: Output,
  { terminal, leaving, onInterrupt }: Leaving,
): Promise<number> {
  const { signal } = leaving
  const left = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  )
  const { openScreen } = await import('../../tui/open-screen.ts')
  const onLeave = (): void => leaving.abort()
  const screen = openScreen({ access: watched.access, mode: 'watch', terminal, onInterrupt, onLeave })
  const following = watched.follow({ signal, onEvent: screen.push, onTrouble: screen.trouble })
  try {
    await Promise.race([following.then(() => left), left])
  } finally {
    leaving.abort()
    await Promise.allSettled([following])
    await screen.close()
  }
  const { text, exitCode, isDriven } = await watched.readEnd()
  output.print(isDriven ? `${watched.id} goes on; fixpoint watch shows it again` : text)
  return isDriven ? 0 : exitCode
}
