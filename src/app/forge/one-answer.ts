import { createHash } from 'node:crypto'
import type { Forge } from '../../loop/ports.ts'

/** Says how a command stands in one comment, which is rewritten; whoever is asked for the same key again finds it. */
export function createAnswer(
  { comments }: Pick<Forge, 'comments'>,
  { number, key }: { readonly number: number; readonly key: string },
): (text: string) => Promise<void> {
  const mark = `fixpoint:answer ${createHash('sha256').update(key).digest('hex').slice(0, 24)}`
  let shown: { readonly id: number; readonly body: string } | null = null
  return async (text) => {
    const body = `<!-- ${mark} -->\n${text}`
    shown ??= await comments.post(number, { body, mark })
    if (shown.body === body) return
    await comments.edit(shown.id, body)
    shown = { id: shown.id, body }
  }
}
