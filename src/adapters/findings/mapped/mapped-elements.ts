import { readXml, type XmlVisitor } from '../reading/read-xml.ts'
import type { Reading } from '../reading/report-format.ts'

type Fields = Record<string, unknown>

interface OpenElement {
  readonly name: string
  readonly fields: Fields
  text: string
}

const maxText = 8_000
const maxFields = 1_000

/** Gives each element that these names lead to from the root as an object, behind those around it, which have only attributes. */
export async function readMappedElements(
  source: AsyncIterable<Uint8Array>,
  { names, take }: { readonly names: readonly string[]; readonly take: (items: readonly Fields[]) => void },
  reading: Reading,
): Promise<void> {
  const visitor = createElementVisitor(names, take)
  const { context } = reading
  let hasRoot = false
  const checked: XmlVisitor = {
    ...visitor,
    open(name, attributes) {
      if (!hasRoot && name !== names[0])
        throw context.fail(
          `begins with <${name.slice(0, 60)}>`,
          'Correct "list" of the mapping: it begins with the root.',
        )
      hasRoot = true
      visitor.open(name, attributes)
    },
  }
  await readXml(source, checked, reading)
}

/** An element is its attributes and, by name, the elements in it; one with text alone is its text, any other has it as `@text`. */
function createElementVisitor(
  names: readonly string[],
  take: (items: readonly Fields[]) => void,
): XmlVisitor {
  const open: OpenElement[] = []
  let depth: number | null = null
  let count = 0
  const isWanted = (): boolean =>
    open.length === names.length && names.every((name, index) => open[index]?.name === name)
  return {
    open(name, attributes) {
      open.push({ name, fields: { ...attributes }, text: '' })
      if (depth === null && isWanted()) [depth, count] = [open.length, 0]
    },
    text(text) {
      const element = depth === null ? undefined : open.at(-1)
      if (element && element.text.length < maxText) element.text += text.slice(0, maxText)
    },
    close() {
      const element = open.pop()
      if (!element || depth === null) return
      const value = valueOf(element)
      const parent = open.at(-1)
      if (open.length >= depth && parent && (count += 1) <= maxFields)
        addField(parent.fields, element.name, value)
      if (open.length >= depth) return
      depth = null
      take([...open.map(({ fields }) => fields), typeof value === 'string' ? { '@text': value } : value])
    },
  }
}

function valueOf({ fields, text }: OpenElement): Fields | string {
  const trimmed = text.trim()
  if (Object.keys(fields).length === 0) return trimmed
  return trimmed === '' ? fields : { ...fields, '@text': trimmed }
}

/** Several elements of one name are a list. */
function addField(fields: Fields, name: string, value: unknown): void {
  const known = Object.hasOwn(fields, name) ? fields[name] : undefined
  fields[name] =
    known === undefined ? value : Array.isArray(known) ? [...(known as unknown[]), value] : [known, value]
}
