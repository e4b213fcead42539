import { anyName } from './detectors/assignments.ts'
import { anyMark } from './detectors/marked-secrets.ts'
import { jointSource } from './views/join-pieces.ts'

// What a character may be part of, as bits.
const RUN = 1
const JOINT = 2
const ESCAPE = 4
const ASSIGNMENT = 8
const ADDRESS = 16
const DIGIT = 32
const LONG_RUN = 64

const powers = new Uint8Array(128)
const give = (characters: string, power: number): void => {
  for (const character of characters) {
    const code = character.charCodeAt(0)
    powers[code] = (powers[code] ?? 0) | power
  }
}
give('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/.=~%-', RUN)
give('"\'`\\\n\0', JOINT)
give('%=\\&', ESCAPE)
give(':=,', ASSIGNMENT)
give('@', ADDRESS)
give('0123456789', DIGIT)

/** Tokens, keys, and whatever is decoded or read backwards are made of one run of so many characters. */
const MIN_RUN = 20
const MIN_CODES = 15

const joint = new RegExp(jointSource)
const joints = new RegExp(jointSource, 'g')
const escape = /[%=][0-9a-fA-F]{2}|\\[xu]|&#/
const address = /:\/\/[^\s@/]{0,400}@/
const value = /[:=,]\s{0,8}\\{0,3}["'`][^\s"'`]{8}|[:=][ \t]{0,8}[^\s"'`]{8}/
const assigning = /[:=,?&;]|--/
/**
 * What sixteen readable bytes look like in base64 and in hexadecimal: readable bytes begin with a zero bit, so the first
 * character of a group of four is of the lower half of the alphabet, and the first of two hexadecimal ones below eight.
 */
const encoded = /(?:[A-Za-f][\w+/-]{3}){4}[A-Za-f]|(?:[0-7][0-9a-fA-F]){16}/
const codes = /(?:(?:0x[0-9a-fA-F]{2}|\d{2,3})[\s,]+){15}/

/**
 * False only for text in which no detector can find anything. Nearly all that is written into rows and events is such
 * text, and this takes a fraction of the time of looking closer.
 */
export function mayHoldSecret(text: string): boolean {
  const seen = powersIn(text)
  if (isSuspect(text, seen) || ((seen & LONG_RUN) !== 0 && isSuspectRun(text))) return true
  if ((seen & JOINT) === 0 || !joint.test(text)) return false
  const joined = text.replaceAll(joints, '')
  const seenJoined = powersIn(joined)
  // Comments between the pieces are left out of the joined text, and may hold pieces themselves.
  return ((seen | seenJoined) & LONG_RUN) !== 0 || isSuspect(joined, seenJoined)
}

/** Most long runs are paths, names and hashes: they bear no mark, have no value assigned, and hide no other text. */
const isSuspectRun = (text: string): boolean =>
  anyMark.test(text) ||
  anyMark.test(reverseText(text)) ||
  (anyName.test(text) && assigning.test(text)) ||
  encoded.test(text)

const reverseText = (text: string): string => Buffer.from(text, 'latin1').reverse().toString('latin1')

/**
 * Every text is looked at in one array of bytes: V8 keeps strings in many forms, and asks for the form again with each
 * character that is read from one.
 */
const encoder = new TextEncoder()
const bytes = new Uint8Array(64 * 1024)

/** What the characters of a text may be part of; LONG_RUN says that enough of them follow each other. */
function powersIn(text: string): number {
  let seen = 0
  let run = 0
  let digits = 0
  let rest = text
  for (;;) {
    const { read, written } = encoder.encodeInto(rest, bytes)
    for (let index = 0; index < written; index += 1) {
      const byte = bytes[index] as number
      // Some characters beyond ASCII are invisible, and part what belongs together.
      const power = byte < 128 ? (powers[byte] as number) : JOINT
      seen |= power
      if ((power & DIGIT) !== 0) digits += 1
      run = (power & RUN) === 0 ? 0 : run + 1
      if (run === MIN_RUN) seen |= LONG_RUN
    }
    if (read === rest.length) return digits >= 2 * MIN_CODES ? seen : seen & ~DIGIT
    rest = rest.slice(read)
  }
}

const isSuspect = (text: string, seen: number): boolean =>
  ((seen & ESCAPE) !== 0 && escape.test(text)) ||
  ((seen & ADDRESS) !== 0 && address.test(text)) ||
  ((seen & ASSIGNMENT) !== 0 && anyName.test(text) && value.test(text)) ||
  ((seen & DIGIT) !== 0 && codes.test(text)) ||
  text.includes('earer')
