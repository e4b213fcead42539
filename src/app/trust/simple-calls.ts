import { pathSeenFrom, type InnerSource } from './script-line.ts'

/** A command without pipes and lists, and a folder that it may run in. */
export interface SimpleCall {
  readonly words: readonly string[]
  readonly folder: string
}

/** More folders than an honest line goes through. */
const mostFolders = 40

/**
 * The simple commands of a line, in every folder that they may run in: one that goes into a folder may fail, and in a
 * recipe the next line begins where the first one did. Only behind `&&` it is certain.
 */
export function simpleCalls(
  command: string,
  folder: string,
  { passOver }: Pick<InnerSource, 'passOver'>,
): readonly SimpleCall[] {
  const calls: SimpleCall[] = []
  const visited = new Set([folder])
  let current: readonly string[] = [folder]
  const parts = command.replaceAll(/\$[({]MAKE[)}]/g, 'make').split(/(&&|\|\||[;|&\n()`]|\$\()/)
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 1) {
      if (part !== '&&') current = [...visited]
      continue
    }
    const words = wordsOf(part)
    const to = /^(cd|pushd)$/.test(words[0] ?? '')
      ? words.slice(1).find((word) => !word.startsWith('-'))
      : undefined
    if (to === undefined) {
      calls.push(...current.map((at) => ({ words, folder: at })))
      continue
    }
    const moved = current.map((from) => pathSeenFrom(from, to))
    if (new Set([...visited, ...moved]).size > mostFolders) {
      passOver(to, 'in which of its many folders it runs cannot be told')
      continue
    }
    moved.forEach((at) => visited.add(at))
    current = moved
  }
  return calls
}

/** The words of a simple command, without quotes and without the variables and wrappers before the program. */
function wordsOf(part: string): readonly string[] {
  const words = [...part.replace(/^\s*[@+-]+/, '').matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replaceAll(/["']/g, ''),
  )
  const start = words.findIndex(
    (word) => !/^\w+=|^(env|exec|time|command|cross-env|nice|sh|bash|-c|-e|-l?c)$/.test(word),
  )
  return start === -1
    ? []
    : words.slice(start).flatMap((word) => (word.includes(' ') ? word.split(/\s+/) : [word]))
}
