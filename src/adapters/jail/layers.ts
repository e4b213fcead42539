import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where throw-away layers over caches come from: bubblewrap itself, a step before it, or nowhere. */
export type Layers = 'own' | 'before' | 'none'

const mount = 'PATH=/usr/sbin:/usr/bin:/sbin:/bin mount'

/** Layers over folders, made in mounts of its own by the shell that then becomes bubblewrap. */
export interface MadeLayers {
  /** What that shell is started by. */
  readonly around: readonly string[]
  /** What it does, with the following words as its first arguments. */
  readonly script: string
  readonly words: readonly string[]
}

const inOwnMounts = ['/usr/bin/unshare', '--user', '--map-root-user', '--mount']

/** For a bubblewrap that makes no layers itself. */
export function layersOver(
  folders: readonly string[],
  { home, bytes }: { readonly home: string; readonly bytes: number },
): MadeLayers {
  if (folders.length === 0) return { around: [], script: '', words: [] }
  const place = join(home, 'layers')
  mkdirSync(place, { recursive: true, mode: 0o700 })
  const table = writeTable(place, [
    tableLine(['layers', place, 'tmpfs', `size=${bytes},mode=0700`]),
    ...layerLines(place, folders),
  ])
  return { around: inOwnMounts, script: `${mount} -a -T "$1" || exit 125; shift\n`, words: [table] }
}

/**
 * Everything in one table, since every start of a program counts. A mount makes the folder that it is mounted on, so the
 * empty file system is mounted in itself once for each folder that is wanted, and the folders are reached through the
 * first of these.
 */
function layerLines(place: string, folders: readonly string[]): readonly string[] {
  const own = folders.flatMap((_, index) => [`${index}/upper`, `${index}/work`])
  const within = join(place, '0/upper')
  return [
    ...own.map((name) => tableLine([place, join(place, name), 'none', 'bind,X-mount.mkdir'])),
    ...folders.map((folder, index) => {
      const [upper, work] = [join(within, `${index}/upper`), join(within, `${index}/work`)]
      const options = `lowerdir=${folder},upperdir=${upper},workdir=${work},userxattr`
      return tableLine(['layer', folder, 'overlay', options])
    }),
  ]
}

/** A line as a table of file systems has it, where a blank ends a word. */
const tableLine = (words: readonly string[]): string =>
  `${words.map((word) => word.replaceAll(/[ \t#]/g, (blank) => `\\0${blank.charCodeAt(0).toString(8)}`)).join(' ')} 0 0\n`

/** Tables are named after what they say, and few: those of one home differ by the caches that there were. */
function writeTable(place: string, lines: readonly string[]): string {
  const text = lines.join('')
  const path = join(place, createHash('sha256').update(text).digest('hex').slice(0, 32))
  if (existsSync(path)) return path
  writeFileSync(`${path}.${process.pid}`, text)
  renameSync(`${path}.${process.pid}`, path)
  return path
}

/** Tries on an empty folder whether this kernel lets such layers be made. */
export const layersTrial: readonly string[] = [
  ...inOwnMounts,
  '/bin/sh',
  '-c',
  `${mount} -t tmpfs trial /tmp && mkdir /tmp/lower && printf '%s' "$1" > /tmp/table && ${mount} -a -T /tmp/table &&
   : > /tmp/lower/written && test -e /tmp/0/upper/0/upper/written`,
  'sh',
  layerLines('/tmp', ['/tmp/lower']).join(''),
]

/** The options of an overlay cannot name every path. */
export const canBeLayered = (folder: string): boolean => !/[:,\\\n"]/.test(folder)
