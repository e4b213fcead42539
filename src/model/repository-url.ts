import { Fault } from './fault.ts'

/** The address of a repository that is somewhere else, in one of the two ways that git and Fixpoint talk to it. */
export interface RepositoryUrl {
  /** As git gets it. */
  readonly url: string
  readonly protocol: 'https' | 'http' | 'ssh'
  /** In lower case, without the brackets of an IPv6 address. */
  readonly host: string
  /** Null for the usual one. */
  readonly port: number | null
  /** The last part of its path, without `.git`. */
  readonly name: string
}

const longest = 2_000
const scp = /^(?:([\w.-]+)@)?([\w.-]{2,}):(?!\/\/)([\w./~+-]+)$/

/** Whether a person means an address rather than a folder. */
export const looksLikeUrl = (text: string): boolean =>
  /^[a-z][a-z0-9+.-]*::?(?:\/\/)?/i.test(text.trim()) ||
  (scp.test(text.trim()) && !/^[./~]/.test(text.trim()))

/** Refuses everything that git would take for an option, a program, a file of this machine or another protocol. */
export function parseRepositoryUrl(text: string): RepositoryUrl {
  const written = text.trim()
  if (written === '' || written.length > longest || /[\s\p{C}\\]/u.test(written) || written.startsWith('-'))
    throw refused(written, 'this is no address of a repository')
  if (/^[a-z][a-z0-9+.-]*::/i.test(written))
    throw refused(written, 'addresses that name a program of git are not followed')
  const short = scp.exec(written)
  return short && !written.includes('://') ? parseShort(written, short) : parseFull(written)
}

function parseFull(written: string): RepositoryUrl {
  const url = URL.parse(written)
  const protocol = url?.protocol.replace(/:$/, '')
  if (url === null || (protocol !== 'https' && protocol !== 'http' && protocol !== 'ssh'))
    throw refused(written, 'repositories are fetched over https:// and ssh:// only')
  if (url.password !== '' || (protocol !== 'ssh' && url.username !== ''))
    throw new Fault('usage', 'the address holds a name or a password, and addresses are stored as they are', {
      hint: "Leave it out: Fixpoint uses the GitHub App, or git's credential helpers.",
    })
  if (url.search !== '' || url.hash !== '')
    throw refused(written, 'an address of a repository ends with its path')
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, '')
  const port = url.port === '' ? null : Number(url.port)
  return checked({ url: written, protocol, host, port, path: url.pathname, user: url.username })
}

/** `git@host:owner/name` */
const parseShort = (written: string, [, user = '', host = '', path = '']: RegExpExecArray): RepositoryUrl =>
  checked({ url: written, protocol: 'ssh', host: host.toLowerCase(), port: null, path, user })

function checked({
  path,
  user,
  ...rest
}: Omit<RepositoryUrl, 'name'> & { readonly path: string; readonly user: string }): RepositoryUrl {
  const name = (path.split('/').filter(Boolean).at(-1) ?? '').replace(/\.git$/i, '')
  // A host, a user or a path with a dash in front would be an option of ssh or of the program on the other side.
  if (rest.host === '' || [rest.host, user, path].some((part) => part.startsWith('-')))
    throw refused(rest.url, 'this is no address of a repository')
  if (name === '' || name === '.' || name === '..') throw refused(rest.url, 'the address names no repository')
  return { ...rest, name }
}

const refused = (written: string, why: string): Fault =>
  new Fault('usage', `${JSON.stringify(written.replace(/\/\/[^@/]*@/, '//').slice(0, 200))}: ${why}`, {
    hint: 'Write it as https://host/owner/name or ssh://git@host/owner/name.',
  })
