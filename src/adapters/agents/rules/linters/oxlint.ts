import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as othersTurn } from 'node:timers/promises'
import { NewestMap } from '../../../../model/newest-map.ts'
import type { LinterRule } from '../catalogue/linter-rule.ts'
import { editsBetween } from '../engine/edits.ts'
import type { Edit } from '../engine/rule.ts'
import type { Found, LinterScan, Source } from '../engine/found.ts'
import { inLintFolder } from './lint-folder.ts'
import { runOxlint, type Diagnosed, type LintCall } from './run-oxlint.ts'

const mostFilesInACall = 1_000

/**
 * Runs oxlint's rules over texts. It is started in a folder of ours with our configuration, so that nothing of the
 * repository configures it, and reads copies.
 * The fixer, the origin gate and the challenger ask about the same texts one after the other: each is read once.
 */
export async function lintWithOxlint(
  sources: readonly Source[],
  rules: readonly LinterRule[],
  call: LintCall,
): Promise<ReadonlyMap<string, LinterScan>> {
  const config = hash('sha256', JSON.stringify(configOf(rules)))
  const asked = sources.map((source) => ({ source, key: keyOf(config, source) }))
  const unknown = asked.filter(({ key }) => !known.has(key))
  const fresh = await diagnose(unknown, rules, call)
  const said = asked.map(({ source, key }) => ({
    source,
    diagnostics: fresh.get(key) ?? known.get(key) ?? [],
  }))
  for (const [key, diagnostics] of fresh) known.set(key, diagnostics)
  return new Map(
    said.map(({ source, diagnostics }) => [source.path, readScan(source, diagnostics, rules)] as const),
  )
}

const mostKnown = 5_000
/** What oxlint said of a text under a configuration; nothing else decides about it. */
const known = new NewestMap<string, readonly Diagnosed[]>(mostKnown)

/** Neither a hash nor a suffix holds a line break, so that no two texts share a key. */
const keyOf = (config: string, { path, text }: Source): string =>
  hash('sha256', `${config}\n${suffixOf(path)}\n${text}`)

async function diagnose(
  asked: readonly { readonly source: Source; readonly key: string }[],
  rules: readonly LinterRule[],
  call: LintCall,
): Promise<ReadonlyMap<string, readonly Diagnosed[]>> {
  const said = new Map<string, readonly Diagnosed[]>()
  if (asked.length === 0) return said
  const size = asked.reduce((sum, { source }) => sum + source.text.length, 0)
  return inFolder({ rules, size }, async (folder) => {
    for (let from = 0; from < asked.length; from += mostFilesInACall) {
      const some = asked.slice(from, from + mostFilesInACall)
      const found = await lintTexts(
        folder,
        some.map(({ source }) => source),
        call,
      )
      for (const [index, { key }] of some.entries()) said.set(key, found[index] ?? [])
    }
    return said
  })
}

/** What oxlint says of each text. */
async function lintTexts(
  folder: string,
  sources: readonly Source[],
  call: LintCall,
): Promise<readonly (readonly Diagnosed[])[]> {
  const copies: string[] = []
  let turnEndsAt = performance.now() + turnMs
  for (const [index, source] of sources.entries()) {
    copies.push(writeCopy(folder, source, index))
    if (performance.now() < turnEndsAt) continue
    await othersTurn()
    turnEndsAt = performance.now() + turnMs
  }
  const { diagnostics, number_of_files } = await runOxlint(folder, ['--format', 'json', ...copies], call)
  if (number_of_files !== copies.length) throw new Error('oxlint did not read every file that it was given')
  const found = Map.groupBy(diagnostics, ({ filename }) => filename)
  return copies.map((copy) => found.get(copy) ?? [])
}

/** Hundreds of small files are written in it, so that oxlint starts before rules of ours keep the processor busy. */
const turnMs = 20

/** The edits of one rule's own fix that touch this finding; null where oxlint changes nothing there. */
export async function fixWithOxlint(
  source: Source,
  { rule, startOffset, endOffset }: Pick<Found, 'startOffset' | 'endOffset'> & { rule: LinterRule },
  signal: AbortSignal,
): Promise<readonly Edit[] | null> {
  return inFolder({ rules: [rule], size: source.text.length }, async (folder) => {
    const copy = writeCopy(folder, source, 0)
    await runOxlint(folder, ['--fix', '--format', 'json', copy], { signal })
    const fixed = await readFile(join(folder, copy), 'utf8')
    const edits = editsBetween(source.text, rule.reword?.(fixed) ?? fixed).filter(
      ({ start, end }) => start <= endOffset && startOffset <= end,
    )
    return edits.length === 0 ? null : edits
  })
}

/** A folder with the configuration of these rules and room for copies of so much text, for one use. */
const inFolder = <T>(
  { rules, size }: { readonly rules: readonly LinterRule[]; readonly size: number },
  use: (folder: string) => Promise<T>,
): Promise<T> =>
  inLintFolder(size, async (folder) => {
    await writeFile(join(folder, 'config.json'), JSON.stringify(configOf(rules)))
    return use(folder)
  })

/** Its name in the folder, where nothing but its suffix is of the repository. */
function writeCopy(folder: string, { path, text }: Source, index: number): string {
  const name = `${index}${suffixOf(path)}`
  writeFileSync(join(folder, name), text)
  return name
}

const suffixOf = (path: string): string => /(?:\.d)?\.[a-z]+$/i.exec(path)?.[0] ?? ''

const configOf = (rules: readonly LinterRule[]) => ({
  plugins: [...new Set(rules.map(({ name }) => pluginOf(name)))],
  categories: { correctness: 'off' },
  env: { builtin: true, es2024: true, node: true, browser: true },
  rules: Object.fromEntries(rules.map(({ name, options }) => [name, options ? ['error', options] : 'error'])),
})

const pluginOf = (name: string): string => (name.split('/')[0] ?? '').replace('react-hooks', 'react')

function readScan(
  source: Source,
  diagnostics: readonly Diagnosed[],
  rules: readonly LinterRule[],
): LinterScan {
  // A message without a rule is a problem of reading; oxlint says nothing else about such a file.
  const unread = diagnostics.find(({ code }) => code === undefined)
  if (unread) return { unread: unread.message }
  const offsets = stringOffsets(source.text)
  return {
    found: diagnostics.flatMap(({ code, message, labels }): readonly Found[] => {
      const name = code?.replace(/^(.*)\((.*)\)$/, '$1/$2')
      const rule = rules.find((each) => each.name === name)
      // Of two places that are the same, a person looks at the later one.
      const span = labels.at(-1)?.span
      if (!rule || !span) return []
      const [start, end] = [offsets(span.offset), offsets(span.offset + span.length)]
      const place = { ...source, message, start, end }
      const edits = rule.fixAt?.(place) ?? null
      const isAccepted = rule.accepts?.(place) ?? true
      return isAccepted ? [{ rule, message, startOffset: start, endOffset: end, edits }] : []
    }),
  }
}

/** oxlint counts bytes; texts of ASCII alone need no second look. */
function stringOffsets(text: string): (bytes: number) => number {
  const encoded = Buffer.from(text)
  if (encoded.length === text.length) return (bytes) => bytes
  return (bytes) => encoded.subarray(0, bytes).toString().length
}
