import { isUtf8 } from 'node:buffer'

const escapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  '\\': 92,
}
const letters = new Map(Object.entries(escapes).map(([letter, byte]) => [byte, letter]))

/** A file name as text: itself when it is UTF-8, else in git's quoted form; `bytesOfName` is the exact way back. */
export function nameOfBytes(bytes: Buffer): string {
  // A plain name that begins with a quote is quoted too, or it could not be told from a quoted one.
  return isUtf8(bytes) && bytes[0] !== 0x22 ? bytes.toString('utf8') : quote(bytes)
}

export function bytesOfName(name: string): Buffer {
  return name.startsWith('"') && name.endsWith('"') && name.length > 1
    ? unquote(name)
    : Buffer.from(name, 'utf8')
}

/** The fields of NUL-separated output. */
export function splitNul(output: Buffer): Buffer[] {
  const fields: Buffer[] = []
  let start = 0
  for (let end = output.indexOf(0); end !== -1; end = output.indexOf(0, start)) {
    fields.push(output.subarray(start, end))
    start = end + 1
  }
  if (start < output.length) fields.push(output.subarray(start))
  return fields
}

export const joinNul = (fields: readonly Uint8Array[]): Buffer =>
  Buffer.concat(fields.flatMap((field) => [field, NUL]))

const NUL = Buffer.from([0])

function quote(bytes: Buffer): string {
  let text = '"'
  for (const byte of bytes) {
    const letter = letters.get(byte)
    if (letter !== undefined) text += `\\${letter}`
    else if (byte < 0x20 || byte >= 0x7f) text += `\\${byte.toString(8).padStart(3, '0')}`
    else text += String.fromCharCode(byte)
  }
  return `${text}"`
}

function unquote(name: string): Buffer {
  const inner = Buffer.from(name.slice(1, -1), 'utf8')
  const bytes: number[] = []
  for (let at = 0; at < inner.length; at++) {
    const byte = inner[at] ?? 0
    if (byte !== 0x5c) {
      bytes.push(byte)
      continue
    }
    const octal = /^[0-3][0-7]{2}/.exec(inner.toString('latin1', at + 1, at + 4))?.[0]
    bytes.push(
      octal === undefined
        ? (escapes[String.fromCharCode(inner[at + 1] ?? 0)] ?? 0x5c)
        : Number.parseInt(octal, 8),
    )
    at += octal === undefined ? 1 : 3
  }
  return Buffer.from(bytes)
}

// Code points that HFS+ leaves out when it compares names.
const hfsIgnored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** Whether git, on any file system, could read a component of this path as `.git`. */
export function isDotGitPath(path: Buffer): boolean {
  // A backslash separates components where the tree is checked out on Windows.
  return path.toString('utf8').split(/[/\\]/).some(isDotGit)
}

function isDotGit(component: string): boolean {
  const folded = component.replace(hfsIgnored, '').toLowerCase()
  // NTFS drops trailing dots and spaces, and `name:stream` is the file `name`.
  const name = (folded.split(':', 1)[0] ?? '').replace(/[. ]+$/, '')
  return name === '.git' || name === 'git~1'
}

/**
 * Whether git takes this path on any system. It has rules for names that some file system could read as `.git` or as
 * a way out of the repository; what comes near any of them is left to git itself.
 */
export const isPlainPath = (path: string): boolean =>
  /^[\w@+=,()[\]{}#%&!$^ ./-]+$/.test(path) && !/git|^\/|\/\/|\/$|(^|\/)\.\.?(\/|$)|[. ](\/|$)/i.test(path)

/** Paths as strings of one character per byte, so that every name survives. */
export const toByteString = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** The path of something in a folder; the folder itself for an empty name. */
export const bytesBelow = (folder: string, path: string): Buffer =>
  Buffer.from(path === '' ? folder : `${folder}/${path}`, 'latin1')

/** The folder that holds a path; empty for the root. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
