import type { CommitNote, PushedBranch, Remote } from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import { CommitId } from '../../../model/id.ts'
import type { GitResult } from '../../process/git-process.ts'
import type { GitRepository } from '../objects/repository.ts'
import { buildNotes, notesRef } from './notes.ts'

export interface RemoteOptions {
  readonly url: string
  /** The token for its host; null where git has other means, such as a key for SSH. */
  readonly token: () => Promise<string | null>
  /** What SSH needs of the person's environment. */
  readonly env: Readonly<Record<string, string>>
}

const timeoutMs = 10 * 60_000

/** Talks to the remote from the owned git directory: nothing that the person's repository configures takes part. */
export function createRemote(repository: GitRepository, options: RemoteOptions): Remote {
  const protocol = protocolOf(options.url)
  const run = async (args: readonly string[], answers: readonly number[]): Promise<GitResult> =>
    repository.owned.run(args, {
      answers,
      timeoutMs,
      env: {
        GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
        ...options.env,
        GIT_ALLOW_PROTOCOL: protocol,
        ...credentials(options.url, await options.token()),
      },
    })
  const { tip, send, fetch } = talkTo(repository, options.url, run)
  return {
    tip,
    fetch,
    async push(branch, commit): Promise<PushedBranch> {
      const ref = `refs/heads/${branch}`
      if ((await tip(ref)) === commit) return { pushed: false }
      await send(commit, ref)
      return { pushed: true }
    },
    pushNotes: (notes) => pushNotes(repository, notes, { fetch, send }),
  }
}

type RunThere = (args: readonly string[], answers: readonly number[]) => Promise<GitResult>

/** The three things that are asked of the other side. */
function talkTo({ owned }: GitRepository, url: string, run: RunThere) {
  const tip = async (ref: string): Promise<CommitId | null> => {
    const listed = await run(['ls-remote', '--refs', '--end-of-options', url, ref], [128])
    if (listed.exitCode !== 0) throw talkFault(listed.stderr, url)
    const line = listed.stdout
      .toString('utf8')
      .split('\n')
      .find((text) => text.endsWith(`\t${ref}`))
    return line === undefined ? null : CommitId.parse(line.split('\t')[0])
  }
  const send = async (commit: CommitId, ref: string): Promise<void> => {
    const args = ['push', '--porcelain', '--no-verify', '--end-of-options', url, `${commit}:${ref}`]
    const sent = await run(args, [1, 128])
    if (sent.exitCode !== 0) throw pushFault(sent, ref, url)
  }
  const fetch = async (ref: string): Promise<CommitId | null> => {
    if ((await tip(ref)) === null) return null
    const own = `refs/fixpoint/fetched/${ref.replace(/^refs\//, '')}`
    const quietly = ['--quiet', '--no-tags', '--no-write-fetch-head']
    const fetched = await run(['fetch', ...quietly, '--end-of-options', url, `+${ref}:${own}`], [1, 128])
    if (fetched.exitCode !== 0) throw talkFault(fetched.stderr, url)
    return CommitId.parse(await owned.text(['rev-parse', '--verify', own]))
  }
  return { tip, send, fetch }
}

/** A remote may accept a branch and refuse notes: that is reported, and is no fault. */
async function pushNotes(
  repository: GitRepository,
  notes: readonly CommitNote[],
  {
    fetch,
    send,
  }: { readonly fetch: Remote['fetch']; readonly send: (commit: CommitId, ref: string) => Promise<void> },
): Promise<string | null> {
  try {
    const from = await fetch(notesRef)
    const missing = await missingNotes(repository, from, notes)
    if (missing.length > 0) await send(await buildNotes(repository, from, missing), notesRef)
    return null
  } catch (error) {
    if (error instanceof Fault && error.code === 'forge_refused') return error.message
    throw error
  }
}

async function missingNotes(
  { owned }: GitRepository,
  from: CommitId | null,
  notes: readonly CommitNote[],
): Promise<readonly CommitNote[]> {
  if (from === null) return notes
  const env = { GIT_NOTES_REF: 'refs/notes/fixpoint-there' }
  await owned.run(['update-ref', env.GIT_NOTES_REF, from])
  const missing: CommitNote[] = []
  for (const note of notes) {
    const there = await owned.run(['notes', 'show', note.commit], { env, answers: [1] })
    if (there.exitCode !== 0 || there.stdout.toString('utf8').trim() !== note.text.trim()) missing.push(note)
  }
  return missing
}

/** Only the protocol of the remote itself; over plain HTTP no token leaves this machine. */
function protocolOf(url: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase()
  if (scheme === undefined) return /^(?:[^@/:]+@)?[^@/:]{2,}:/.test(url) ? 'ssh' : 'file'
  if (scheme === 'https' || scheme === 'ssh' || scheme === 'file') return scheme
  if (scheme === 'http' && /^http:\/\/(?:[^@/]*@)?(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\//i.test(url))
    return 'http'
  throw new Fault('forge_refused', `Fixpoint does not push over ${scheme}`, {
    hint: 'Use an address that begins with https:// or ssh:// (git remote set-url).',
  })
}

/** The token as a header that git reads from its environment: never an argument, a file or an address. */
function credentials(url: string, token: string | null): Record<string, string> {
  if (token === null || !/^https?:/i.test(url)) return {}
  const { origin } = new URL(url)
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64')
  return {
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: `http.${origin}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
    GIT_CONFIG_KEY_1: 'credential.helper',
    GIT_CONFIG_VALUE_1: '',
  }
}

/** What the other side said about the ref, as `git push --porcelain` tells it. */
function pushFault({ stdout, stderr }: GitResult, ref: string, url: string): Fault {
  const refusal = stdout
    .toString('utf8')
    .split('\n')
    .find((line) => line.startsWith('!\t'))
  if (refusal === undefined) return talkFault(stderr, url)
  const why = /\[(.*?)\](?: \((.*)\))?/.exec(refusal)
  const reason = why?.[2] ?? why?.[1] ?? 'no reason was given'
  const said = stderr
    .split('\n')
    .filter((line) => line.startsWith('remote:'))
    .map((line) => line.slice('remote:'.length).trim())
    .join(' ')
    .slice(0, 500)
  const isBehind = /non-fast-forward|fetch first|stale info/.test(reason)
  return new Fault('forge_refused', `${ref} was not pushed: ${reason}${said === '' ? '' : `: ${said}`}`, {
    hint: isBehind
      ? 'The branch has other commits there. Nothing is ever forced: look at them, or fix onto another branch.'
      : 'A rule of the repository refuses it: look at its branch protection and rulesets.',
    details: { ref, reason },
  })
}

/** What kept git from talking to the remote; its words are English, because it runs in the C locale. */
function talkFault(stderr: string, url: string): Fault {
  const said = stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? ''
  const where = url.replace(/\/\/[^@/]*@/, '//')
  if (
    /Authentication failed|could not read Username|Permission denied|error: 401|Invalid username or/i.test(
      stderr,
    )
  )
    return new Fault('forge_auth', `${where} lets this token or key not in: ${said}`)
  if (/error: 403|not have permission|denied to/i.test(stderr))
    return new Fault('forge_refused', `${where} refuses this token: ${said}`)
  if (/not found|does not (?:exist|appear to be a git repository)/i.test(stderr))
    return new Fault('forge_missing', `there is no repository at ${where}: ${said}`)
  return new Fault('forge_busy', `${where} gives no answer: ${said}`)
}
