import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Where throw-away layers over caches come from: bubblewrap itself, a step before it, or nowhere. */
export type Layers = 'own' | 'before' | 'none'

const path = 'PATH=/usr/sbin:/usr/bin:/sbin:/bin'

const putOver = `
layers=$1 table=$2 folders=$3 bytes=$4
shift 4
cd "$layers" || exit 125
${path} mount -t tmpfs -o "size=$bytes,mode=0700" layers . && cd "$layers" || exit 125
${path} mkdir $folders || exit 125
printf '%s' "$table" > table && ${path} mount -a -T table && cd / || exit 125
exec "$@"
`

const inOwnMounts = ['/usr/bin/unshare', '--user', '--map-root-user', '--mount', '/bin/sh', '-c']

/** Makes layers over folders in mounts of its own, then becomes the command: for a bubblewrap that makes none. */
export async function layeredCommand(
  {
    folders,
    home,
    bytes,
  }: { readonly folders: readonly string[]; readonly home: string; readonly bytes: number },
  command: readonly string[],
): Promise<readonly string[]> {
  if (folders.length === 0) return command
  const place = join(home, 'layers')
  await mkdir(place, { recursive: true, mode: 0o700 })
  // All of them by one start of mount, since every start of a program counts.
  const table = folders.map((folder, index) => layerLine(folder, join(place, String(index))))
  const own = folders.flatMap((_, index) => [`${index}`, `${index}/upper`, `${index}/work`])
  return [...inOwnMounts, putOver, 'sh', place, table.join(''), own.join(' '), String(bytes), ...command]
}

/** A line as a table of file systems has it, where a blank ends a word. */
function layerLine(folder: string, own: string): string {
  const word = (text: string): string =>
    text.replaceAll(/[ \t#]/g, (blank) => `\\0${blank.charCodeAt(0).toString(8)}`)
  const options = `lowerdir=${folder},upperdir=${own}/upper,workdir=${own}/work,userxattr`
  return `layer ${word(folder)} overlay ${word(options)} 0 0\n`
}

/** Tries on an empty folder whether this kernel lets such layers be made. */
export const layersTrial: readonly string[] = [
  ...inOwnMounts,
  `mount -t tmpfs trial /tmp && mkdir /tmp/lower /tmp/upper /tmp/work &&
   echo 'trial /tmp/lower overlay lowerdir=/tmp/lower,upperdir=/tmp/upper,workdir=/tmp/work,userxattr 0 0' > /tmp/table &&
   mount -a -T /tmp/table && : > /tmp/lower/written && test -e /tmp/upper/written`,
]

/** The options of an overlay cannot name every path. */
export const canBeLayered = (folder: string): boolean => !/[:,\\\n"]/.test(folder)
