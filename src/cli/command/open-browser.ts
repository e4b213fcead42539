import { startDetached } from '../../adapters/process/start-process.ts'
import type { CommandContext } from './context.ts'

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Shows an address in the person's browser; where there is none, the printed address is all they need. */
export async function openBrowser(address: string, { env, output }: CommandContext): Promise<void> {
  const chosen = env['BROWSER']
  const [program, ...args] = chosen ? [chosen] : (openers[process.platform] ?? ['xdg-open'])
  const isStarted = await startDetached(program, [...args, address], env)
  if (!isStarted) output.say(`note: no browser could be opened here (${program}); open the address yourself`)
}
