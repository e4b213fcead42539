import { isMap, isSeq, parseDocument, type Document, type YAMLSeq } from 'yaml'
import { z } from 'zod'
import { Fault } from '../../model/fault.ts'
import { ignoredPath, SharedIgnore } from '../../model/issue/move-by-hand.ts'

const SharedIgnores = z.strictObject({ ignored: z.array(SharedIgnore).max(20_000) })

const head = ' What this project leaves as it is. fixpoint issues ignore --shared adds to it.'

/** Reads the file; what cannot be read is a fault, because it would hide or show the wrong issues. */
export function parseIgnoredFile(text: string): readonly SharedIgnore[] {
  const read = SharedIgnores.safeParse(documentOf(text).toJS({ maxAliasCount: 0 }))
  if (read.success) return read.data.ignored
  const [problem] = read.error.issues
  throw unreadable(`${problem?.path.join('.') ?? ''}: ${problem?.message ?? 'it cannot be read'}`)
}

/** The text with these entries added, or in the place of earlier ones of the same fingerprints; the rest stays as people wrote it. */
export function addIgnores(text: string, added: readonly SharedIgnore[]): string {
  if (text.trim() !== '') parseIgnoredFile(text)
  const document = documentOf(text.trim() === '' ? 'ignored: []\n' : text)
  if (text.trim() === '') document.commentBefore = head
  const list = listOf(document)
  for (const entry of added) {
    const node = document.createNode(entry)
    const at = list.items.findIndex((item) => isMap(item) && item.get('fingerprint') === entry.fingerprint)
    if (at < 0) list.items.push(node)
    else list.items[at] = node
  }
  list.flow = false
  return document.toString({ lineWidth: 0 })
}

function listOf(document: Document): YAMLSeq {
  const list = document.get('ignored')
  if (isSeq(list)) return list
  throw unreadable('it has no list "ignored"')
}

function documentOf(text: string): Document {
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'error' })
  const [error] = document.errors
  if (error) throw unreadable(error.message)
  return document
}

const unreadable = (why: string): Fault =>
  new Fault('config_invalid', `${ignoredPath} cannot be read: ${why}`, {
    hint: 'Correct it: each entry has a fingerprint, a reason, who, and perhaps until.',
  })
