import { parseSeverity } from '../../../../model/issue/severity.ts'
import { tool } from '../../reading/read-problems.ts'
import { readTextProblems } from '../../reading/read-text.ts'
import type { ReportedProblem } from '../../reading/reported-problem.ts'
import type { ReportReader } from '../../reading/report-format.ts'

const command = /^\s*::(error|warning|notice)\s+(\S.*?)::(.*)$/

const escapes: Readonly<Record<string, string>> = {
  '%25': '%',
  '%0D': '\r',
  '%0A': '\n',
  '%3A': ':',
  '%2C': ',',
}
const decode = (text: string): string =>
  text.replaceAll(/%(?:25|0D|0A|3A|2C)/gi, (code) => escapes[code.toUpperCase()] ?? code)

function propertiesOf(written: string): ReadonlyMap<string, string> {
  return new Map(
    written.split(',').flatMap((pair) => {
      const [name, ...value] = pair.split('=')
      return value.length === 0 ? [] : [[(name ?? '').trim(), decode(value.join('='))] as const]
    }),
  )
}

/** `ruff (F401)` names the tool too. */
const toolAndRule = /^([\w-]+) \(([\w/.@-]+)\)$/
/** Some tools begin the message with the place, and with the rule. */
const placeFirst = /^(?:\S+:)?\d+:\d+:?\s+/
const ruleFirst = /^(?:\[([\w/.@-]+)\]\s+|([A-Z]\w+(?:\/\w+)+):\s+)/

function createRead(sourceName: string): (line: string) => ReportedProblem | null {
  return (line) => {
    const [, level, written = '', data = ''] = command.exec(line) ?? []
    const properties = propertiesOf(written)
    const path = properties.get('file')
    if (level === undefined || path === undefined) return null
    const title = properties.get('title') ?? null
    const [, name, code] = toolAndRule.exec(title ?? '') ?? []
    let message = decode(data).replace(placeFirst, '')
    const [beginning, bracketed, before] = ruleFirst.exec(message) ?? []
    const rule = code ?? title ?? bracketed ?? before ?? null
    if (beginning !== undefined && (title === null || rule === bracketed || rule === before))
      message = message.slice(beginning.length)
    if (rule !== null && message.startsWith(`${rule} `)) message = message.slice(rule.length + 1)
    return {
      source: tool(name ?? sourceName),
      message,
      rule,
      severity: parseSeverity(level),
      path,
      line: properties.get('line'),
      endLine: properties.get('endLine') ?? properties.get('endline'),
      column: properties.get('col'),
    }
  }
}

/** Reads the workflow commands by which tools annotate code in GitHub Actions. */
export const annotationsReader: ReportReader = {
  recognise: ({ kind, text }) =>
    kind === 'text' && text.split('\n', 200).some((line) => createRead('report')(line) !== null),
  read: (source, reading) =>
    readTextProblems(source, createRead(reading.context.sourceName), {
      reading,
      form: '::error file=…,line=…::message',
    }),
}
