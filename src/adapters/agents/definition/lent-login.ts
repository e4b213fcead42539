import { chmod, copyFile, lstat, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Kept } from '../../../loop/ports.ts'
import { removeTree } from '../../process/leftovers/remove-tree.ts'
import { runFilePath } from '../../process/run-mark.ts'

/** Copies of a person's login files for one run, in folders that stand in the place of the true ones. */
interface LentLogin {
  readonly folders: readonly Kept[]
  /** Takes over what the program renewed, and removes the copies. */
  takeBack(): Promise<void>
}

interface Copy {
  readonly original: string
  readonly copy: string
}

/** The true files never go into a jail: what is in there could break or replace them. */
export async function lendLogin(files: readonly string[], home: string): Promise<LentLogin> {
  const found = (await Promise.all(files.map(isFile))).flatMap((isThere, index) =>
    isThere ? [files[index] ?? ''] : [],
  )
  const root = runFilePath(home, 'login')
  const lent = [...Map.groupBy(found, dirname)].map(([at, paths], index) => ({
    folder: { from: join(root, String(index)), at },
    copies: paths.map((original) => ({ original, copy: join(root, String(index), basename(original)) })),
  }))
  for (const { folder, copies } of lent) {
    await mkdir(folder.from, { recursive: true, mode: 0o700 })
    for (const { original, copy } of copies) {
      await copyFile(original, copy)
      await chmod(copy, 0o600)
    }
  }
  return {
    folders: lent.map(({ folder }) => folder),
    async takeBack() {
      for (const { copies } of lent) for (const each of copies) await takeOver(each)
      await removeTree(root)
    },
  }
}

const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => null))?.isFile() === true

/** A renewed login replaces the person's under a lock, when it is the same account's and holds for longer. */
async function takeOver({ original, copy }: Copy): Promise<void> {
  const renewed = await readLogin(copy)
  if (renewed === null) return
  await underLock(`${original}.fixpoint-lock`, async () => {
    const known = await readLogin(original)
    if (known === null || known.text === renewed.text || !isRenewal(known.value, renewed.value)) return
    const draft = `${original}.fixpoint-new`
    await writeFile(draft, renewed.text, { mode: 0o600 })
    await rename(draft, original)
  })
}

const mostBytes = 64 * 1024

/** Null for what is no login file any more, such as a link that was put in its place. */
async function readLogin(path: string): Promise<{ readonly text: string; readonly value: unknown } | null> {
  const found = await lstat(path).catch(() => null)
  if (!found?.isFile() || found.size > mostBytes) return null
  const text = await readFile(path, 'utf8')
  try {
    return { text, value: JSON.parse(text) as unknown }
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** Nobody gives a token that holds for longer. */
const longestMs = 400 * 24 * 60 * 60 * 1000

export function isRenewal(known: unknown, renewed: unknown): boolean {
  const [before, after] = [expiryOf(known), expiryOf(renewed)]
  const isSame = JSON.stringify([...accountsOf(known)]) === JSON.stringify([...accountsOf(renewed)])
  return isSame && after !== null && after > (before ?? 0) && after < Date.now() + longestMs
}

/** All values of a document, each with its name. */
function* valuesOf(value: unknown, name = ''): Generator<readonly [string, unknown]> {
  if (typeof value !== 'object' || value === null) yield [name, value]
  else for (const [key, inner] of Object.entries(value)) yield* valuesOf(inner, key)
}

/** The latest end of anything that a login holds, in milliseconds. */
function expiryOf(login: unknown): number | null {
  const ends = [...valuesOf(login)].flatMap(([name, value]) => {
    if (typeof value === 'number' && /^(expires_?at|expiry_date|exp)$/i.test(name))
      return inMilliseconds(value)
    return typeof value === 'string' ? (claimsOf(value)?.exp ?? []) : []
  })
  return ends.length === 0 ? null : Math.max(...ends)
}

/** Whose it is, where it says so. */
function* accountsOf(login: unknown): Generator<string> {
  for (const [name, value] of valuesOf(login)) {
    if (typeof value !== 'string') continue
    const subject = claimsOf(value)?.sub
    if (subject !== undefined) yield `${name} ${subject}`
    if (/^(account_id|organization_?uuid|email)$/i.test(name)) yield `${name} ${value}`
  }
}

const inMilliseconds = (time: number): number => (time < 1e11 ? time * 1000 : time)

function claimsOf(token: string): { readonly exp?: number; readonly sub?: string } | null {
  const [, body, signature] = token.split('.')
  if (body === undefined || signature === undefined || !token.startsWith('ey')) return null
  try {
    const { exp, sub } = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>
    return {
      ...(typeof exp === 'number' && { exp: inMilliseconds(exp) }),
      ...(typeof sub === 'string' && { sub }),
    }
  } catch {
    return null // not such a token after all
  }
}

const lockTries = 50
const lockPauseMs = 100
const staleMs = 30_000

/** One process at a time; where the lock cannot be had, the person's own login stays as it is. */
async function underLock(path: string, work: () => Promise<void>): Promise<void> {
  for (let tried = 0; tried < lockTries; tried += 1) {
    const lock = await open(path, 'wx', 0o600).catch(() => null)
    if (lock !== null)
      try {
        return await work()
      } finally {
        await lock.close()
        await rm(path, { force: true })
      }
    const age = Date.now() - ((await stat(path).catch(() => null))?.mtimeMs ?? Date.now())
    if (age > staleMs) await rm(path, { force: true })
    await delay(lockPauseMs)
  }
}
