import { distrust, isTrusted, readTrust, type TrustState } from '../../../app/trust/trust.ts'
import { oneLine } from '../../../client/printable.ts'
import { Fault } from '../../../model/fault.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { requireTrust, trustLines } from '../../command/trust.ts'

interface Options {
  readonly show?: boolean
  readonly revoke?: boolean
  readonly yes?: boolean
}

/** Trusts what this repository's files would run or load, shows it, or takes the trust back. */
export const runTrust: RunCommand<Options> = (context, { show, revoke, yes }) =>
  withApp(context, {}, async (app) => {
    const { output } = context
    if (show && revoke) throw new Fault('usage', 'give one of --show and --revoke')
    if (revoke) {
      const forgotten = await distrust(app)
      output.print(forgotten > 0 ? 'Nothing of this repository is trusted any more.' : 'Nothing was trusted.')
    }
    const state = await readTrust(app, { for: 'session' })
    if (show) output.print(describe(state))
    if (show || revoke || isTrusted(state)) {
      if (!show && !revoke) output.print('Nothing new: all of it is trusted already.')
      output.result(toJson(state))
      return 0
    }
    await requireTrust(app, context, { yes })
    output.print(['Trusted now:', ...trustLines(state).map((line) => `  ${line}`)].join('\n'))
    output.result(toJson(await readTrust(app, { for: 'session' })))
    return 0
  })

function describe({ items, untrusted }: TrustState): string {
  if (items.length === 0) return 'The files of this repository ask for nothing that needs trust.'
  const asked = new Set(untrusted)
  return items
    .map(
      (item) =>
        `${asked.has(item) ? 'not trusted' : 'trusted    '}  ${oneLine(`${item.key}: ${item.run}`, 400)}`,
    )
    .join('\n')
}

const toJson = ({ items, untrusted, digest }: TrustState) => ({
  schema: 'fixpoint.trust.v1',
  trusted: untrusted.length === 0,
  commands_hash: digest,
  items: items.map((item) => ({ ...item, trusted: !untrusted.includes(item) })),
})
