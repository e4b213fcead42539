/** What a linter says behind the place, taken apart. */
export interface Wording {
  readonly level: string | null
  readonly rule: string | null
  readonly message: string
}

interface Form {
  readonly pattern: RegExp
  /** `letter` is the first letter of a level. */
  readonly groups: readonly ('level' | 'letter' | 'rule')[]
}

const levels =
  'fatal error|fatal|error|warning|warn|note|notice|info|information|hint|style|critical|major|minor'

/** What stands before the message; the first that fits is cut off. */
const beginnings: readonly Form[] = [
  // `error TS2322: …`, `warning eslint(no-eval): …`; a plain word may belong to the sentence
  {
    pattern: new RegExp(String.raw`^(${levels}) (?=[^:\s]*[\d/(-])([A-Za-z@][\w@./()-]*):\s+`, 'i'),
    groups: ['level', 'rule'],
  },
  // `warning info-contact "…"`
  { pattern: new RegExp(String.raw`^(${levels}) ([a-z][\w-]*)\s+(?=")`), groups: ['level', 'rule'] },
  // `error - …`, `warning: …`, `[error] …`
  {
    pattern: new RegExp(`^(?:\\[(${levels})\\]:?|(?:${levels})(?=\\s*:|\\s+-))\\s*[:-]?\\s*`, 'i'),
    groups: ['level'],
  },
  // `[W0311(bad-indentation), ] …`
  { pattern: /^\[([A-Z])\d{4}\(([\w-]+)\),?[^\]]*\]\s+/, groups: ['letter', 'rule'] },
  // `W0311: …`, with the rule's name behind
  { pattern: /^([CREWF])\d{4}:\s+(?=\S.*\([\w-]+\)$)/, groups: ['letter'] },
  // `C: [Correctable] Style/StringLiterals: …`
  { pattern: /^([CREWFI]):\s+(?:\[\w+\]\s+)?([A-Z]\w+(?:\/\w+)+):\s+/, groups: ['letter', 'rule'] },
  { pattern: /^-\s+/, groups: [] },
  // `[F401] …`
  { pattern: /^\[([A-Z]{1,6}\d{1,5})\]\s+/, groups: ['rule'] },
]

const ruleName = String.raw`-?[A-Za-z@][\w@./=-]*`
/** From where a run of blanks begins: tried from within, a long one takes the square of its length. */
const blanks = String.raw`(?<!\s)\s+`
/** What stands behind the message. */
const endings: readonly Form[] = [
  // `… [Warning/eslint(no-unused-vars)]`
  { pattern: new RegExp(String.raw`${blanks}\[(${levels})\/([^\]\s]+)\]$`, 'i'), groups: ['level', 'rule'] },
  // `… (no-duplicate-selectors) [error]`
  {
    pattern: new RegExp(String.raw`${blanks}\((${ruleName})\)\s+\[(${levels})\]$`, 'i'),
    groups: ['rule', 'level'],
  },
  { pattern: new RegExp(String.raw`${blanks}\[(${ruleName})\]$`), groups: ['rule'] },
  // A single word in brackets may belong to the sentence.
  {
    pattern: new RegExp(String.raw`${blanks}\(([A-Za-z@]\w*(?:[./-][\w@]+)+|[A-Z]{1,4}\d{2,5})\)$`),
    groups: ['rule'],
  },
]

const lettered: Readonly<Record<string, string>> = { E: 'error', F: 'fatal', W: 'warning' }

export function readWording(rest: string): Wording {
  const said: { level: string | null; rule: string | null } = { level: null, rule: null }
  const cut = (text: string, forms: readonly Form[]): string => {
    for (const { pattern, groups } of forms) {
      const found = pattern.exec(text)
      const left = found && text.replace(pattern, '').trim()
      if (!found || !left) continue
      for (const [index, group] of groups.entries()) {
        const value = found[index + 1] ?? found[0].replace(/[\s:-]+$/, '')
        if (group === 'rule') said.rule ??= value
        else said.level ??= group === 'letter' ? (lettered[value] ?? 'info') : value.toLowerCase()
      }
      return left
    }
    return text
  }
  const body = cut(rest.trim(), beginnings)
  const isMarked = said.level !== null && rest.trim().startsWith('[')
  const message = cut(body, isMarked ? [...endings, plainEnding] : endings)
  return { ...said, level: said.level?.replace('fatal error', 'fatal') ?? null, message }
}

/** `[error] … (colons)`: where the level stands in brackets, the rule does too. */
const plainEnding: Form = { pattern: new RegExp(String.raw`${blanks}\((${ruleName})\)$`), groups: ['rule'] }
