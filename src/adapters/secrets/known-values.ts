import type { Hit } from './detectors/hit.ts'

const KIND = 'known value'
/** Anything shorter stands in ordinary text by chance. */
const MIN_LENGTH = 8

interface Needle {
  readonly squeezed: string
  readonly value: string
}

/** Only letters and digits, in lower case: quotes, operators, escapes and line breaks cannot part a value then. */
const squeeze = (text: string): string => text.replaceAll(/[^A-Za-z0-9]+/g, '').toLowerCase()

const needlesOf = new WeakMap<readonly string[], readonly Needle[]>()

/** Where values stand that must never appear: as they are, in pieces, backwards, or in base64, hexadecimal or codes. */
export function findKnownValues(text: string, known: readonly string[]): readonly Hit[] {
  const needles = needlesOf.get(known) ?? prepare(known)
  needlesOf.set(known, needles)
  return [...findSqueezed(text, needles), ...findPlain(text, known)]
}

/** Exact, where squeezing would lose the marks that a value begins or ends with. */
function findPlain(text: string, known: readonly string[]): readonly Hit[] {
  return known
    .filter((value) => value.length >= MIN_LENGTH)
    .flatMap((value) =>
      offsetsOf(text, value).map((start) => ({ kind: KIND, start, end: start + value.length, value })),
    )
}

function findSqueezed(text: string, needles: readonly Needle[]): readonly Hit[] {
  if (needles.length === 0) return []
  const squeezed = squeeze(text)
  const found = needles.flatMap((needle) =>
    offsetsOf(squeezed, needle.squeezed).map((start) => ({
      needle,
      start,
      end: start + needle.squeezed.length - 1,
    })),
  )
  const originOf = origins(
    text,
    found.flatMap(({ start, end }) => [start, end]),
  )
  return found.map(({ needle, start, end }) => ({
    kind: KIND,
    start: originOf.get(start) ?? 0,
    end: (originOf.get(end) ?? 0) + 1,
    value: needle.value,
  }))
}

/** Where the nth letters and digits of a text stand. */
function origins(text: string, places: readonly number[]): ReadonlyMap<number, number> {
  const wanted = new Set(places)
  const found = new Map<number, number>()
  if (wanted.size === 0) return found
  let count = 0
  for (const match of text.matchAll(/[A-Za-z0-9]+/g)) {
    for (let index = 0; index < match[0].length; index += 1) {
      if (wanted.has(count)) found.set(count, match.index + index)
      count += 1
    }
  }
  return found
}

function offsetsOf(text: string, needle: string): readonly number[] {
  const offsets: number[] = []
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length))
    offsets.push(at)
  return offsets
}

function prepare(known: readonly string[]): readonly Needle[] {
  return known
    .filter((value) => value.length >= MIN_LENGTH)
    .flatMap((value) =>
      [...new Set(disguisesOf(value).map(squeeze))]
        .filter((squeezed) => squeezed.length >= MIN_LENGTH)
        .map((squeezed) => ({ squeezed, value })),
    )
}

function disguisesOf(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0'))
  const straight = [
    value,
    encodeURIComponent(value.toWellFormed()),
    bytes.toString('base64'),
    ...[0, 1, 2].map((shift) => base64Inside(bytes, shift)),
    hex.join(''),
    hex.map((digits) => `x${digits}`).join(''),
    hex.map((digits) => `u00${digits}`).join(''),
    [...bytes].join(''),
  ]
  return [...straight, ...straight.map((text) => [...text].toReversed().join(''))]
}

/** The base64 digits that depend on the value alone, whatever stands around it in the encoded text. */
function base64Inside(bytes: Buffer, shift: number): string {
  const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  const first = Math.ceil((shift * 8) / 6)
  const last = Math.floor(((shift + bytes.length) * 8) / 6)
  return encoded.slice(first, last)
}
