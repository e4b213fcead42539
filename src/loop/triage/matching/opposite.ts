import { stem } from './stem.ts'

const start = String.raw`(?:^|[.;:!?(–—-]\s*|\b(?:should|must|please|consider|better|to|and)\s+)`
const article = String.raw`(?:(?:the|a|an|this|that|these|those|any|all|your|more|using|use of)\s+)*`
const advice = (verbs: string): RegExp =>
  new RegExp(String.raw`${start}(?:${verbs})\s+${article}['"\x60]?([\p{L}_$][\p{L}\p{N}_$]*)`, 'giu')
const urged = advice('add|allow|enable|introduce|keep|prefer|restore|use')
const refused = advice(
  String.raw`avoid|delete|disable|drop|forbid|remove|stop|do not (?:use|add|allow|enable|keep)|don[’']t (?:use|add|allow|enable|keep)`,
)

const more = new RegExp(
  String.raw`\btoo (?:early|few|low|narrow|short|small|strict)\b|${start}(?:enlarge|increase|lengthen|raise) (?:the|this)\b`,
  'iu',
)
const less = new RegExp(
  String.raw`\btoo (?:big|broad|high|large|late|lenient|long|loose|many|wide)\b|${start}(?:decrease|lower|reduce|shorten|shrink) (?:the|this)\b`,
  'iu',
)

/** Whether two texts advise against each other: one urges what the other refuses, or wants more where that wants less. */
export function isOpposite(a: string, b: string): boolean {
  const [one, other] = [adviceIn(a), adviceIn(b)]
  return (
    (one.wants !== null && other.wants !== null && one.wants !== other.wants) ||
    !one.urged.isDisjointFrom(other.refused) ||
    !one.refused.isDisjointFrom(other.urged)
  )
}

interface Advice {
  readonly urged: ReadonlySet<string>
  readonly refused: ReadonlySet<string>
  /** Null where it wants both or neither. */
  readonly wants: 'more' | 'less' | null
}

function adviceIn(text: string): Advice {
  const isMore = more.test(text)
  const wants = isMore === less.test(text) ? null : isMore ? 'more' : 'less'
  return { urged: objectsOf(text, urged), refused: objectsOf(text, refused), wants }
}

const objectsOf = (text: string, pattern: RegExp): ReadonlySet<string> =>
  new Set(text.matchAll(pattern).map(([, object]) => stem((object ?? '').toLowerCase())))
