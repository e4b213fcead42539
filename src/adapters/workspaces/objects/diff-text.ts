import type { TreeId } from '../../../model/id.ts'
import type { Git } from '../git/git.ts'

const OPTIONS = [
  '-r',
  '-p',
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
  const { stdout, isCut } = await git.run(['diff-tree', ...OPTIONS, from, to], { maxBytes, overflow: 'cut' })
  const text = decode(stdout, maxBytes)
  if (!isCut && text.length === stdout.toString('utf8').length) return text
  return cutAtLine(text, maxBytes)
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
