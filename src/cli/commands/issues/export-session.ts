import { resolve } from 'node:path'
import { formatSessionHtml } from '../../../adapters/exports/session-html.ts'
import { writeWhole } from '../../../adapters/exports/write-whole.ts'
import { loadSession } from '../../../app/fix/stored-session.ts'
import { redactor } from '../../../app/redact/redact-exits.ts'
import { Fault } from '../../../model/fault.ts'
import { withApp, type CommandContext } from '../../command/context.ts'

interface Options {
  readonly kind: string | undefined
  readonly session?: string
  readonly output?: string
}

/** The exports that are about the newest session, or the one that is named. */
export const runExportSession = (context: CommandContext, options: Options): Promise<number> =>
  options.kind === 'bundle' ? exportAsBundle(context, options) : exportAsPage(context, options)

const exportAsPage = (context: CommandContext, { session: named, output }: Options): Promise<number> =>
  withApp(context, {}, async (app) => {
    const [newest] = await app.store.sessions.list(app.repository.id, 1)
    const id = named ?? newest?.id
    if (id === undefined)
      throw new Fault('not_found', 'there is no session to export', { hint: 'fixpoint fix starts one.' })
    const { session, attempts } = await loadSession(app, id)
    const page = redactor.value(
      formatSessionHtml(session, attempts, await app.store.issues.get(session.issue_ids)),
    )
    if (output === undefined) context.output.print(page.trimEnd())
    else {
      const file = resolve(context.cwd, output)
      await writeWhole(file, page)
      context.output.say(`${id} is written to ${file}`)
    }
    context.output.result({ schema: 'fixpoint.export.v1', format: 'html', session_id: id, html: page })
    return 0
  })

/** A bundle is for machines: it always goes into a file, of its session's name where none is given. */
const exportAsBundle = (context: CommandContext, { session, output }: Options): Promise<number> =>
  withApp(context, {}, async (app) => {
    const { exportBundle } = await import('../../../app/forge/export-bundle.ts')
    const { delivery, bytes, held } = await exportBundle(app, session)
    const file = resolve(context.cwd, output ?? `${delivery.session_id}.bundle`)
    await writeWhole(file, bytes)
    const commits = new Set(delivery.issues.flatMap(({ commit_sha }) => commit_sha ?? [])).size
    context.output.print(
      `Wrote ${delivery.branch} of ${delivery.session_id} to ${file} (${commits} commits, ${bytes.length} bytes).`,
    )
    if (held.length > 0)
      context.output.say(`${held.join(', ')} wait for a person; their patches are in it too`)
    context.output.result({
      schema: 'fixpoint.export.v1',
      format: 'bundle',
      file,
      bytes: bytes.length,
      session_id: delivery.session_id,
      branch: delivery.branch,
      base_commit: delivery.base_commit,
      head_sha: delivery.tip_commit,
      commits,
      held,
    })
    return 0
  })
