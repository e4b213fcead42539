import type { CheckCommand, CommandRun } from './verification.ts'

/** A sign in the output of a check that the jail stopped it, and what would let it through. */
interface Sign {
  readonly sign: RegExp
  /** Whether the opening could still help this command. */
  readonly helps: (command: Pick<CheckCommand, 'network'>) => boolean
  /** What must stand on the same line. */
  readonly isOn?: RegExp
  readonly opens: (found: string) => string
}

const signs: readonly Sign[] = [
  {
    sign: /docker\.sock|Docker daemon|valid Docker environment|podman\.sock/i,
    helps: () => true,
    opens: () =>
      'it asks for the socket of Docker, which is not in the jail; jail: false in its verify.commands runs it outside',
  },
  {
    sign: /\b(?:EAI_AGAIN|ENETUNREACH|ENOTFOUND|ECONNREFUSED|UnknownHostException|NameResolutionError)\b|name resolution|resolve host|Name or service not known|Network is unreachable|no such host|Connection refused/i,
    helps: ({ network }) => network !== true,
    opens: () =>
      'it asks for the network, which the jail keeps from it; network: true in its verify.commands opens it',
  },
  {
    sign: /(?<![\w./~-])(?:\/(?:home|root|mnt|media|srv|data|work|Users)|~)\/[^\s'":,;)]{1,200}/,
    isOn: /ENOENT|EROFS|No such file or directory|Read-only file system|cannot find|FileNotFound/i,
    helps: () => true,
    opens: (path) =>
      `it asks for ${path}, which is not in the jail; workspace.share copies paths of the checkout into the workspace, jail: false in its verify.commands runs it outside`,
  },
]

const longestLine = 2000

/** The setting that would open the jail for a check that is red in it; null where nothing in its output points there. */
export function whatOpens(
  { output }: Pick<CommandRun, 'output'>,
  command: Pick<CheckCommand, 'network' | 'jail'> | undefined,
): string | null {
  if (command === undefined || command.jail === false) return null
  const lines = output.split('\n').map((line) => line.slice(0, longestLine))
  for (const { sign, helps, isOn, opens } of signs) {
    if (!helps(command)) continue
    const found = lines
      .filter((line) => isOn?.test(line) ?? true)
      .flatMap((line) => sign.exec(line)?.[0] ?? [])[0]
    if (found !== undefined) return opens(found)
  }
  return null
}
