import type { Fault } from '../../../model/fault.ts'
import { decodeEntities, readXmlTag } from '../../../model/xml-tag.ts'

export interface XmlVisitor {
  open(name: string, attributes: ReadonlyMap<string, string>): void
  /** Text between tags, in pieces. */
  text(text: string): void
  close(name: string): void
}

export interface XmlOptions {
  readonly maxTagLength: number
  readonly maxDepth: number
  readonly fail: (what: string) => Fault
}

export interface XmlSplitter {
  push(text: string): void
  end(): void
}

/** What is passed over, or taken as it is, up to its end. */
const sections = [
  { opening: '<!--', closing: '-->', isText: false },
  { opening: '<![CDATA[', closing: ']]>', isText: true },
  { opening: '<?', closing: '?>', isText: false },
] as const
const longestOpening = 9
/** As long as an entity may be; a shorter rest may be a part of one. */
const longestEntity = 12

type Section = (typeof sections)[number]

/** Walks an XML file of any size; nothing is resolved from elsewhere and no entity is defined, so nothing can grow. */
export function createXmlSplitter(visitor: XmlVisitor, options: XmlOptions): XmlSplitter {
  const names: string[] = []
  let rest = ''
  let section: Section | null = null
  let hasRoot = false
  /** What is there is a part of something: it waits for the next piece of the file. */
  let isPart = false
  const wait = (at: number): number => {
    isPart = true
    return at
  }

  /** Each step gives where the text goes on. */
  function step(at: number): number {
    if (section !== null) return readSection(section, at)
    const start = rest.indexOf('<', at)
    if (start === -1) return readText(at, keepEntity(at))
    if (start > at) return readText(at, start)
    const found = sections.find(({ opening }) => rest.startsWith(opening, at))
    if (found) {
      section = found
      return at + found.opening.length
    }
    if (rest.length - at < longestOpening && rest.startsWith('<!', at)) return wait(at)
    return rest.startsWith('<!', at) ? readDeclaration(at) : readElement(at)
  }

  function readSection(open: Section, at: number): number {
    const end = rest.indexOf(open.closing, at)
    const upTo = end === -1 ? Math.max(at, rest.length - open.closing.length + 1) : end
    if (open.isText && upTo > at) visitor.text(rest.slice(at, upTo))
    if (end === -1) return wait(upTo)
    section = null
    return end + open.closing.length
  }

  function keepEntity(at: number): number {
    const start = rest.lastIndexOf('&')
    return start >= at && rest.length - start < longestEntity && !rest.includes(';', start)
      ? start
      : rest.length
  }

  function readText(at: number, end: number): number {
    if (end <= at) return wait(at)
    const text = decodeEntities(rest.slice(at, end))
    if (names.length > 0) visitor.text(text)
    else if (text.replace(/^\uFEFF/, '').trim() !== '') throw options.fail('is not valid XML')
    return end
  }

  function readDeclaration(at: number): number {
    const end = rest.indexOf('>', at)
    if (end === -1 && rest.length - at > options.maxTagLength) throw options.fail('is not valid XML')
    if (end === -1) return wait(at)
    if (rest.slice(at, end).includes('['))
      throw options.fail('defines entities of its own, which are not read')
    return end + 1
  }

  function readElement(at: number): number {
    const tag = readXmlTag(rest, at)
    if (tag === null && rest.length - at > options.maxTagLength)
      throw options.fail('is not valid XML, or has a tag that is too long')
    if (tag === null) return wait(at)
    if (tag.name === '' || (hasRoot && names.length === 0)) throw options.fail('is not valid XML')
    if (tag.kind !== 'close') {
      hasRoot = true
      names.push(tag.name)
      if (names.length > options.maxDepth) throw options.fail(`nests deeper than ${options.maxDepth} levels`)
      visitor.open(tag.name, tag.attributes)
    }
    if (tag.kind !== 'open') {
      if (names.pop() !== tag.name)
        throw options.fail(`is not valid XML: </${tag.name}> closes another element`)
      visitor.close(tag.name)
    }
    return tag.end
  }

  function push(text: string): void {
    rest += text
    isPart = false
    let at = 0
    while (at < rest.length && !isPart) at = step(at)
    rest = rest.slice(at)
  }

  return {
    push,
    end() {
      if (!hasRoot || names.length > 0 || section !== null || rest.trim() !== '')
        throw options.fail(hasRoot ? 'is cut off: the file ends too early' : 'is not valid XML')
    },
  }
}
