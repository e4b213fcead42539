import type { Finding } from '../../model/issue/finding.ts'
import { cutText } from '../../model/issue/finding-text.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { FindingGroup } from './matching/groups.ts'

const maxDescription = 8_000

/** The description with what new sources say; a known source that says it in other words adds nothing. */
export function withNewVoices(
  { description, flagged_by }: Issue,
  group: FindingGroup,
  [lead, ...others]: readonly Finding[] = [],
): string {
  const voices = group.members.filter(({ source }) => !flagged_by.includes(source.name))
  const texts = voices.filter((voice) => !description.includes(voice.description)).map(voiceText)
  if (texts.length === 0) return description
  const whole = [description, ...new Set(texts)].join('\n\n')
  if (whole.length <= maxDescription) return whole
  return joinTexts(lead ? [wordsOf(lead), ...others.map(voiceText), ...texts] : [description, ...texts])
}

/** Paragraphs within the limit. The longest make room, so that no text, however long, hides what another source says. */
function joinTexts(all: readonly string[]): string {
  const texts = [...new Set(all)]
  let room = maxDescription - 2 * (texts.length - 1)
  const shares = new Map<string, number>()
  for (const [done, text] of texts.toSorted((a, b) => a.length - b.length).entries()) {
    const share = Math.min(text.length, Math.floor(room / (texts.length - done)))
    shares.set(text, share)
    room -= share
  }
  return texts.map((text) => cutText(text, Math.max(1, shares.get(text) ?? 0))).join('\n\n')
}

/** What one of several sources says, as a paragraph of the description. */
export const voiceText = ({ source, description }: Finding): string => `${source.name}: ${description}`

/** Everything that the sources say, each text once, with its source where there are several. */
export function describe(group: FindingGroup): string {
  const { lead } = group
  const said = wordsOf(lead)
  if (group.members.length === 1) return said
  const others = group.members.filter((finding) => finding.description !== lead.description)
  return joinTexts([said, ...others.map(voiceText)])
}

/** What the finding says that leads. */
const wordsOf = ({ description, place_note: note }: Finding): string =>
  note === null ? description : `${description}\n\nPlace: ${note}`
