import { readXmlTag, type XmlTag } from '../../../model/xml-tag.ts'

const skipped = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const

/** The next tag at or behind `from`, past comments and CDATA; null when the text ends before it does. */
export function nextXmlTag(text: string, from: number): XmlTag | null {
  let start = text.indexOf('<', from)
  while (start !== -1) {
    const passed = skipped.find(([opening]) => text.startsWith(opening, start))
    if (passed === undefined) return readXmlTag(text, start)
    const end = text.indexOf(passed[1], start)
    start = end === -1 ? -1 : text.indexOf('<', end)
  }
  return null
}
