import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Where throw-away layers over caches come from: bubblewrap itself, a step before it, or nowhere. */
export type Layers = 'own' | 'before' | 'none'

const path = 'PATH=/usr/sbin:/usr/bin:/sbin:/bin'

const putOver = `
layers=$1
${path} mount -t tmpfs -o "size=$2,mode=0700" layers "$layers" || exit 125
left=$3
shift 3
while [ "$left" -gt 0 ]; do
  own="$layers/$left"
  ${path} mkdir -p "$own/upper" "$own/work" || exit 125
  ${path} mount -t overlay -o "lowerdir=$1,upperdir=$own/upper,workdir=$own/work,userxattr" layer "$1" || exit 125
  shift
  left=$((left - 1))
done
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
  return [...inOwnMounts, putOver, 'sh', place, String(bytes), String(folders.length), ...folders, ...command]
}

/** Tries on an empty folder whether this kernel lets such layers be made. */
export const layersTrial: readonly string[] = [
  ...inOwnMounts,
  `mount -t tmpfs trial /tmp && mkdir /tmp/lower /tmp/upper /tmp/work &&
   mount -t overlay -o lowerdir=/tmp/lower,upperdir=/tmp/upper,workdir=/tmp/work,userxattr trial /tmp/lower &&
   : > /tmp/lower/written`,
]

/** The options of an overlay cannot name every path. */
export const canBeLayered = (folder: string): boolean => !/[:,\\\n"]/.test(folder)
