import { readXml, type XmlAttributes, type XmlVisitor } from './read-xml.ts'
import { findingOf, type ReportedProblem } from './reported-problem.ts'
import type { ReaderContext, Reading, ReportEnd } from './report-format.ts'

interface ChildElement {
  readonly name: string
  readonly attributes: XmlAttributes
  text: string
}

/** An element that is a problem. */
interface XmlElement {
  readonly attributes: XmlAttributes
  /** What is around it, outermost first. */
  readonly around: readonly XmlAttributes[]
  readonly text: string
  /** The elements in it. */
  readonly children: readonly ChildElement[]
}

export interface ElementFormat {
  /** What messages call it. */
  readonly title: string
  readonly root: string
  /** The elements that are problems. */
  readonly problem: string
  /** Null for what is no finding. */
  readonly read: (element: XmlElement) => ReportedProblem | null
}

const maxText = 8_000
const maxChildren = 50

/** Reads the elements of an XML file that are problems, one by one. */
export async function readElements(
  source: AsyncIterable<Uint8Array>,
  format: ElementFormat,
  reading: Reading,
): Promise<ReportEnd> {
  const reader = new ElementReader(format, reading.context)
  await readXml(source, reader, reading)
  return { notFindings: reader.notFindings, incomplete: [], coverage: null }
}

class ElementReader implements XmlVisitor {
  notFindings = 0
  private readonly format: ElementFormat
  private readonly context: ReaderContext
  private readonly around: XmlAttributes[] = []
  private element: (XmlElement & { text: string; children: ChildElement[]; readonly depth: number }) | null =
    null
  private child: ChildElement | null = null

  constructor(format: ElementFormat, context: ReaderContext) {
    this.format = format
    this.context = context
  }

  open(name: string, attributes: XmlAttributes): void {
    const { title, root, problem } = this.format
    const depth = this.around.length
    if (depth === 0 && name !== root)
      throw this.context.fail(
        `is not ${title}: it begins with <${name.slice(0, 60)}>`,
        `It begins with <${root}>.`,
      )
    if (this.element === null && name === problem)
      this.element = { attributes, around: [...this.around], text: '', children: [], depth }
    else if (
      this.element !== null &&
      depth === this.element.depth + 1 &&
      this.element.children.length < maxChildren
    ) {
      this.child = { name, attributes, text: '' }
      this.element.children.push(this.child)
    }
    this.around.push(attributes)
  }

  text(text: string): void {
    const into = this.child ?? this.element
    if (into && into.text.length < maxText) into.text += text.slice(0, maxText)
  }

  close(): void {
    this.around.pop()
    const { element } = this
    if (element === null) return
    if (this.around.length === element.depth + 1) this.child = null
    if (this.around.length !== element.depth) return
    this.element = null
    const problem = this.format.read({ ...element, text: element.text.trim() })
    if (problem === null) {
      this.notFindings += 1
      return
    }
    this.context.admit()
    this.context.add(findingOf(problem, this.context.root))
  }
}
