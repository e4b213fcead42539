import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseRecording, type Recording } from './recording.ts'
import {
  describeKey,
  hasSameCodes,
  hasSameFingerprints,
  isSameStep,
  parseFileName,
  stemOf,
  type RunKey,
} from './run-key.ts'
import { nullIfGone } from './changes.ts'

export interface RecordingQuery {
  readonly folder: string
  readonly key: RunKey
  /** Several agents may have recorded into one folder; an agent's own recordings come first. */
  readonly agent: string
  /** How many runs of this key were replayed before. */
  readonly index: number
}

export type FoundRecording = { readonly recording: Recording } | { readonly problem: string }

type Read = { readonly file: string; readonly content: Recording | { readonly broken: string } }

const largestFileBytes = 256 * 1024 * 1024

/** Finds the run by its fingerprints, since codes may differ between repositories, then by its codes. */
export async function findRecording({ folder, key, agent, index }: RecordingQuery): Promise<FoundRecording> {
  const stem = stemOf(key)
  const files = await listRecordings(folder)
  const named = await readAll(
    folder,
    files.filter((file) => file.stem === stem),
  )
  const unusable = named.find(
    ({ content }) => 'broken' in content || !isSameStep(content, key) || !hasSameCodes(content, key),
  )
  if (unusable) return { problem: `${join(folder, unusable.file)} ${complain(unusable, key)}` }
  const byCode = recordingsIn(named)
  const exact = byCode.filter((recording) => hasSameFingerprints(recording, key))
  const elsewhere = exact.length > 0 ? [] : await findByFingerprint(folder, files, key)
  const found = [exact, elsewhere, byCode].find((list) => list.length > 0) ?? []
  const own = found.filter((recording) => recording.agent === agent)
  const recording = (own.length > 0 ? own : found)[index]
  if (recording) return { recording }
  const which = index === 0 ? '' : `, run ${index + 1} of it`
  return { problem: `there is no recording of ${describeKey(key)}${which} in ${folder}` }
}

async function findByFingerprint(
  folder: string,
  files: readonly ListedFile[],
  key: RunKey,
): Promise<readonly Recording[]> {
  const step = new RegExp(`^${key.role}-.*-round-${key.round}$`, 's')
  const others = await readAll(
    folder,
    files.filter(({ stem }) => step.test(stem)),
  )
  return recordingsIn(others).filter(
    (recording) => isSameStep(recording, key) && hasSameFingerprints(recording, key),
  )
}

const recordingsIn = (read: readonly Read[]): readonly Recording[] =>
  read.flatMap(({ content }) => ('broken' in content ? [] : [content]))

const complain = ({ content }: Read, key: RunKey): string =>
  'broken' in content
    ? `is no recording that can be replayed: ${content.broken}`
    : `was recorded for ${describeKey(content)}, not for ${describeKey(key)}`

interface ListedFile {
  readonly file: string
  readonly stem: string
  readonly index: number
}

/** In the order in which they were recorded. */
export async function listRecordings(folder: string): Promise<readonly ListedFile[]> {
  const names = (await readdir(folder).catch(nullIfGone)) ?? []
  return names
    .flatMap((file) => {
      const parsed = parseFileName(file)
      return parsed ? [{ file, ...parsed }] : []
    })
    .toSorted((a, b) => a.index - b.index || (a.stem < b.stem ? -1 : 1))
}

const readAll = (folder: string, files: readonly ListedFile[]): Promise<readonly Read[]> =>
  Promise.all(files.map(async ({ file }) => ({ file, content: await readRecording(join(folder, file)) })))

async function readRecording(path: string): Promise<Recording | { readonly broken: string }> {
  try {
    const { size } = await stat(path)
    if (size > largestFileBytes) return { broken: `it holds ${Math.round(size / 2 ** 20)} MB` }
    return parseRecording(await readFile(path, 'utf8'))
  } catch (error) {
    return { broken: error instanceof Error ? error.message : String(error) }
  }
}
