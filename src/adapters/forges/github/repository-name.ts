import { Fault } from '../../../model/fault.ts'
import type { RepositoryName } from './pulls.ts'

/** `owner/name` from the address of a remote: any protocol, with or without `.git`. */
export function readRemoteName(url: string): string | null {
  const path = /^(?:[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?[^/]+\/|(?:[^@/:]+@)?[^@/:]{2,}:(?!\/\/))(.+)$/i.exec(
    url.trim(),
  )?.[1]
  const parts =
    path
      ?.replace(/\/+$/, '')
      .replace(/\.git$/, '')
      .split('/')
      .filter((part) => part !== '') ?? []
  return parts.length >= 2 && isName(parts.slice(-2).join('/')) ? parts.slice(-2).join('/') : null
}

const isName = (text: string): boolean => /^[\w.-]+\/[\w.-]+$/.test(text)

export function splitName(name: string): RepositoryName {
  const [owner, repo, ...more] = name.split('/')
  if (owner && repo && more.length === 0 && isName(name)) return { owner, repo }
  throw new Fault('usage', `"${name}" is no repository of GitHub`, { hint: 'Write it as owner/name.' })
}

/** The host of a remote's address, without user and port; null for a path. */
export function remoteHost(url: string): string | null {
  const host = /^(?:[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/:]+)|(?:[^@/:]+@)?([^@/:]{2,}):(?!\/\/))/i.exec(
    url.trim(),
  )
  return (host?.[1] ?? host?.[2])?.toLowerCase() ?? null
}

const publicHosts = ['github.com', 'www.github.com', 'ssh.github.com']

/**
 * Where the API is. A token is only ever sent to github.com, or to a server that the person named: a remote of another
 * host is not taken for an Enterprise server.
 */
export function findApiUrl(named: string | null | undefined, remote: string | null): string {
  if (named) return named
  const host = remote === null ? 'github.com' : (remoteHost(remote) ?? 'github.com')
  if (publicHosts.includes(host)) return 'https://api.github.com'
  throw new Fault('forge_missing', `the remote is on ${host}, which is not github.com`, {
    hint: 'For a GitHub Enterprise server set GITHUB_API_URL or github.api_url: https://HOST/api/v3.',
  })
}
