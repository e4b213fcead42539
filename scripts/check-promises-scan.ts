import { importedFiles } from './check-layers-scan.ts'

type Texts = ReadonlyMap<string, string>

export interface Promises {
  /** The paths of settings in the resolved configuration, such as `['artifacts', 'retention_ms']`. */
  readonly settings: readonly (readonly string[])[]
  readonly events: readonly string[]
  readonly flags: readonly string[]
}

const isConfig = (file: string): boolean => /^src\/(?:model|app)\/config\//.test(file)
const isEventTable = (file: string): boolean =>
  file === 'src/model/session/event.ts' || /^src\/(?:client|tui|cli)\//.test(file)

/** The promises that no file keeps: settings that are not read, events that are not sent, flags that are not offered. */
export function findUnkept(texts: Texts, { settings, events, flags }: Promises): readonly string[] {
  const textsOf = (isPlace: (file: string) => boolean): readonly string[] =>
    [...texts].flatMap(([file, text]) => (isPlace(file) ? [text] : []))
  const readers = textsOf((file) => !isConfig(file))
  const senders = textsOf((file) => !isEventTable(file))
  const commands = textsOf((file) => file.startsWith('src/cli/'))
  return [
    ...settings
      .filter((path) => !isRead(readers, path))
      .map((path) => `setting that nothing reads: ${path.join('.')}`),
    ...events
      .filter((type) => !senders.some((text) => sends(text, type)))
      .map((type) => `event that nobody sends: ${type}`),
    ...flags
      .filter((flag) => !commands.some((text) => text.includes(`'${flag} `)))
      .map((flag) => `flag that no command offers: ${flag}`),
  ]
}

/** Whether a text sends the event: a sent object holds more than its type (`{ type: 'fix_x', message }`); a mere mention does not. */
const sends = (text: string, type: string): boolean =>
  new RegExp(`\\btype: [^,\\n(){}]*'${type}'[^,\\n(){}]*,`).test(text)

/** Whether a file reads `config.fix.max_rounds`, or takes the whole section (`config.fix`, `{ fix } = config`) while some file names its key. */
function isRead(texts: readonly string[], [section = '', key]: readonly string[]): boolean {
  const whole = new RegExp(
    `\\bconfig\\.${section}\\b(?!\\.)|\\{[^{}]*\\b${section}\\b[^{}]*\\}(?: = |: )[^\\n]*[cC]onfig\\b`,
  )
  const isHandedOn = texts.some((text) => whole.test(text))
  if (key === undefined) return isHandedOn || texts.some((text) => text.includes(`config.${section}`))
  const direct = new RegExp(`\\b${section}\\.${key}\\b`)
  const named = new RegExp(`\\b${key}\\b`)
  return texts.some((text) => direct.test(text)) || (isHandedOn && texts.some((text) => named.test(text)))
}

const definition = String.raw`^export (?:async )?(?:const|function\*?|class|type|interface)`
const exported = new RegExp(String.raw`${definition} ([A-Za-z_$][\w$]*)`, 'gm')

/** Files whose exports are used in a way that no import shows. */
const usedOtherwise: readonly string[] = [
  // Users of the library import this file.
  'src/index.ts',
  // The launcher loads these, by the name of the command.
  'src/cli/main.ts',
  'src/cli/quick/answer.ts',
  'src/cli/commands/sessions/show.ts',
  // This file holds the files of the sample repository as text, in which an export is just a word.
  'src/app/demo/sample-modules.ts',
  // Tests of several folders share these values.
  'src/adapters/secrets/made-up-secrets.ts',
]

/** Names that a file of `own` exports and that only tests mention: neither another file nor the file itself does. */
export function findUnusedExports(own: Texts, others: Texts): readonly string[] {
  const importers = new Map<string, string[]>()
  for (const [file, text] of [...own, ...others])
    for (const target of importedFiles(file, text))
      importers.set(target, [...(importers.get(target) ?? []), text])
  const passers = passersOn(own)
  return [...own].flatMap(([file, text]) => {
    if (usedOtherwise.includes(file)) return []
    const users = [file, ...(passers.get(file) ?? [])].flatMap((place) => importers.get(place) ?? [])
    const names = [...new Set([...text.matchAll(exported)].map(([, name = '']) => name))]
    return names
      .filter((name) => !users.some((user) => mentions(user, name) > 0))
      .filter((name) => mentions(withoutDefinition(text, name), name) === 0)
      .map((name) => `export that only tests use: ${name} (${file})`)
  })
}

/** For each file, the files that export everything of it (`export * from`). */
function passersOn(own: Texts): ReadonlyMap<string, readonly string[]> {
  const passers = new Map<string, string[]>()
  for (const [file, text] of own) {
    const passing = [...text.matchAll(/^export (?:type )?\* from .+$/gm)].join('\n')
    for (const target of importedFiles(file, passing))
      passers.set(target, [...(passers.get(target) ?? []), file])
  }
  return passers
}

const mentions = (text: string, name: string): number =>
  text.match(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g'))?.length ?? 0

/** The text without comments and without the definitions of the name: a schema and its type share one name. */
const withoutDefinition = (text: string, name: string): string =>
  text
    .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    .replaceAll(new RegExp(String.raw`${definition} ${name}\b`, 'gm'), '')
    .replaceAll(`z.infer<typeof ${name}>`, '')
