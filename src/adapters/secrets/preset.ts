import type { creator as presetCreator } from '@secretlint/secretlint-rule-preset-recommend'
import { isIssued } from './detectors/placeholder.ts'
import type { Hit } from './detectors/hit.ts'

export type PresetRule = (typeof presetCreator)['rules'][number]
type Context = Parameters<PresetRule['create']>[0]
type Source = Parameters<NonNullable<ReturnType<PresetRule['create']>['file']>>[0]

const PREFIX = '@secretlint/secretlint-rule-'

/** Rules that are left out, and why. */
const leftOut = new Set([
  // Lets a comment in the text silence every other rule, and the text is what is under suspicion.
  `${PREFIX}filter-comments`,
  // Opens files by the name given to the text; the keys it looks for are found as private keys.
  `${PREFIX}gcp`,
  // Report the whole address, so that another host looks like another secret; we report the password.
  `${PREFIX}basicauth`,
  `${PREFIX}database-connection-string`,
])

/** The rules of the preset; loaded with the first text that is scanned. */
export async function loadPresetRules(): Promise<readonly PresetRule[]> {
  const { creator } = await import('@secretlint/secretlint-rule-preset-recommend')
  return creator.rules.filter(({ meta }) => !leftOut.has(meta.id))
}

/**
 * Runs rules without the library's own driver, which keeps every run's timing marks for ever and compares
 * every message with every other.
 */
export function findByRules(rules: readonly PresetRule[], text: string): readonly Hit[] {
  const hits: Hit[] = []
  const source = sourceOf(text)
  for (const rule of rules) {
    const context = contextOf((report) => {
      if (report.message.messageId !== 'AWSAccountID') hits.push(hitOf(rule.meta.id, text, report))
    })
    if (rule.create(context, {}).file?.(source) instanceof Promise) unsupported()
  }
  return hits.filter(({ value }) => isIssued(value))
}

type Report = Parameters<Context['report']>[0]

function contextOf(report: (report: Report) => void): Context {
  return {
    sharedOptions: {},
    // The library's sentences quote the secret, so none is ever made.
    createTranslator: () => (messageId, data) => ({ message: '', messageId: String(messageId), data }),
    report,
    ignore: unsupported,
  }
}

/** Some rules report a range that begins before the secret and ends inside it; what they matched is exact. */
function hitOf(ruleId: string, text: string, { message, range }: Report): Hit {
  const matched = firstText(message.data)
  const start = text.slice(range[0], range[1] + 512).indexOf(matched) + range[0]
  const isExact = matched !== '' && start >= range[0]
  const [from, to] = isExact ? [start, start + matched.length] : range
  return { kind: kindOf(ruleId), start: from, end: to, value: text.slice(from, to) }
}

const firstText = (data: unknown): string =>
  Object.values(data ?? {}).find((value) => typeof value === 'string') ?? ''

const kinds: Readonly<Record<string, string>> = {
  aws: 'aws key',
  privatekey: 'private key',
  stripe: 'stripe key',
}

function kindOf(ruleId: string): string {
  const name = ruleId.replace(PREFIX, '')
  return kinds[name] ?? `${name} token`
}

function sourceOf(content: string): Source {
  return {
    content,
    contentType: 'text',
    ext: '',
    hasBOM: false,
    // No name: rules that open files or look away by name find none.
    filePath: undefined,
    physicalFilePath: undefined,
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
    locationToRange: unsupported,
    rangeToLocation: unsupported,
    positionToIndex: unsupported,
    indexToPosition: unsupported,
  }
}

function unsupported(): never {
  throw new Error('a rule of the preset asked for what is not offered')
}
