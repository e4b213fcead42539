import { createBundles } from '../../adapters/workspaces/index.ts'
import { deliveryFile, deliveryRef, heldFile } from '../../model/forge/bundle.ts'
import type { Delivery } from '../../model/forge/delivery.ts'
import { loadSession } from '../fix/stored-session.ts'
import type { App } from '../open-app.ts'
import { redactor } from '../redact/redact-exits.ts'
import { deliveryToPublish, notesOf, refuseForeign } from './create-pull-request.ts'

export interface ExportedBundle {
  readonly delivery: Delivery
  readonly bytes: Uint8Array
  /** The codes of the issues whose patches wait for a person. */
  readonly held: readonly string[]
}

/** A session's commits, their notes, and what there is to say about it, as one file for another machine. */
export async function exportBundle(app: App, session: string | undefined): Promise<ExportedBundle> {
  const delivery = await deliveryToPublish(app, session)
  await refuseForeign(app, delivery)
  const { trees } = await app.ports()
  const held = await heldPatches(app, delivery)
  const files = new Map([[deliveryFile, `${JSON.stringify(redactor.value(delivery), null, 2)}\n`]])
  for (const { code, diff } of held) files.set(heldFile(code), await redactor.text(diff))
  const bytes = await createBundles(app.git).write({
    branch: delivery.branch,
    tip: delivery.tip_commit,
    base: delivery.base_commit,
    notes: await notesOf(delivery, trees),
    files,
    filesRef: deliveryRef,
  })
  return { delivery, bytes, held: held.map(({ code }) => code) }
}

async function heldPatches(app: App, { session_id }: Delivery) {
  const { session, attempts } = await loadSession(app, session_id)
  const issues = await app.store.issues.get(session.issue_ids)
  const codes = new Map(issues.map(({ id, code }) => [id, code]))
  return attempts.flatMap((attempt) => {
    const code = codes.get(attempt.issue_id)
    return attempt.stage === 'held' && code !== undefined ? [{ code, diff: attempt.diff }] : []
  })
}
