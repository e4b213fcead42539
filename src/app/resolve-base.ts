import type { Revision } from '../model/attempt/attempt.ts'
import { Fault } from '../model/fault.ts'
import type { App } from './open-app.ts'

/** The revision that work starts from. */
export async function resolveBase(app: App, ref = 'HEAD'): Promise<Revision> {
  const base = await (await app.ports()).trees.resolve(ref)
  if (base) return base
  throw new Fault('ref_unknown', `"${ref}" names no commit in ${app.git.root}`, {
    hint: 'Give a branch, a tag or a commit, such as main.',
  })
}
