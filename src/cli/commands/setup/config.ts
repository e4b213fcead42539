import { loadConfig } from '../../../app/config/load-config.ts'
import { configJsonSchema } from '../../../app/config/reference.ts'
import { listSettings, type SettingValue } from '../../../app/config/sources.ts'
import { findRoot } from '../../../app/find-repository.ts'
import type { RunCommand } from '../../command/context.ts'
import type { Output } from '../../command/output.ts'
import { oneLine } from '../../../client/printable.ts'

export const runConfig: RunCommand<{ readonly schema?: boolean }> = async (context, options) => {
  const { cwd, env, output, agents = [] } = context
  if (options.schema) {
    const schema = configJsonSchema()
    output.print(JSON.stringify(schema, null, 2))
    output.result(schema)
    return 0
  }
  const { config, sources, notices, repositoryFile } = await loadConfig({
    repositoryRoot: await findRoot({ cwd, env }),
    env,
    agents,
  })
  const settings = listSettings(config, sources)
  notices.forEach((notice) => output.say(`note: ${notice}`))
  output.print(settingTable(settings, output))
  output.result({ schema: 'fixpoint.config.v1', file: repositoryFile, settings, notices })
  return 0
}

const longestValue = 60

function settingTable(settings: readonly SettingValue[], output: Output): string {
  const rows = settings.map(({ key, value, source, where }) => ({
    key,
    value: oneLine(
      value === null ? '-' : typeof value === 'string' ? value : JSON.stringify(value),
      longestValue,
    ),
    from: where === null ? source : `${source} ${oneLine(where)}`,
  }))
  const keyWidth = Math.max(...rows.map(({ key }) => key.length))
  const valueWidth = Math.max(...rows.map(({ value }) => value.length))
  return rows
    .map(
      ({ key, value, from }) =>
        `${key.padEnd(keyWidth)}  ${value.padEnd(valueWidth)}  ${output.paint('dim', from)}`,
    )
    .join('\n')
}
