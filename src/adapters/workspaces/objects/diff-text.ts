import type { TreeId } from '../../../model/id.ts'
import type { Git } from '../git/git.ts'

export const diffOptions: readonly string[] = [
  '-r',
  '-M',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--src-prefix=a/',
  '--dst-prefix=b/',
]

/** The unified diff of two trees, cut at a line end when it is longer than `maxBytes`. */
export async function readDiff(
  git: Git,
  { from, to, maxBytes }: { from: TreeId; to: TreeId; maxBytes: number },
): Promise<string> {
  const args = ['diff-tree', ...diffOptions, '-p', from, to]
  const { stdout, isCut } = await git.run(args, { maxBytes, overflow: 'cut' })
  return isCut ? cutAtLine(decode(stdout, maxBytes), maxBytes) : toDiffText(stdout, maxBytes)
}

/** The bytes of a whole diff as text. */
export function toDiffText(bytes: Buffer, maxBytes: number): string {
  const text = decode(bytes, maxBytes)
  const isWhole = bytes.length <= maxBytes && text.length === bytes.toString('utf8').length
  return isWhole ? text : cutAtLine(text, maxBytes)
}

// Bytes that are not UTF-8 become U+FFFD, which is longer than they were.
function decode(bytes: Buffer, maxBytes: number): string {
  const text = bytes.toString('utf8')
  return Buffer.byteLength(text) <= maxBytes ? text : Buffer.from(text).subarray(0, maxBytes).toString('utf8')
}

function cutAtLine(text: string, maxBytes: number): string {
  const marker = `[the diff is longer than ${maxBytes} bytes and was cut here]\n`
  const room = Math.max(0, maxBytes - Buffer.byteLength(marker))
  const kept = Buffer.from(text).subarray(0, room)
  const end = kept.lastIndexOf(0x0a) + 1
  return `${kept.subarray(0, end).toString('utf8')}${marker}`.slice(0, maxBytes)
}
