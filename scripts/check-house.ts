import { posix } from 'node:path'

type Texts = ReadonlyMap<string, string>

const mostFiles = 15

/** Folders with more files than one can hold in mind. */
export function findCrowded(files: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const file of files) counts.set(posix.dirname(file), (counts.get(posix.dirname(file)) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count > mostFiles)
    .map(([folder, count]) => `${folder} has ${count} files: at most ${mostFiles} belong into one folder`)
}

const definition = /^export (?:declare )?(?:async )?(?:const|function\*?|class|type|interface) ([\w$]+)/gm

/** Names that more than one file of `src` defines and exports: a reader would have to ask which one is meant. */
export function findDoubledNames(texts: Texts): readonly string[] {
  const places = new Map<string, Set<string>>()
  for (const [file, text] of texts)
    if (file.startsWith('src/') && !holdsSamples(file))
      for (const [, name = ''] of text.matchAll(definition))
        places.set(name, (places.get(name) ?? new Set()).add(file))
  return [...places]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => `${name} is exported by several files: ${[...files].join(', ')}`)
}

/** These files hold the files of the sample repository as text. */
const holdsSamples = (file: string): boolean => file.startsWith('src/app/demo/sample')

/** Matches a parameter of the type `boolean`. Members of an object type do not match, because no comma follows them. */
const bareBoolean = /(?:\(|, |^\s+)(\w+)\??: boolean(?:,|\))/gm

/** Parameters for which a call passes a bare `true` or `false`. That says nothing to a reader; `{ isForced: true }` does. */
export const findBareBooleans = (texts: Texts): readonly string[] =>
  [...texts].flatMap(([file, text]) =>
    [...text.matchAll(bareBoolean)].map(
      ({ 1: name, index }) =>
        `${file}:${text.slice(0, index + 1).split('\n').length} the parameter ${name} is a bare boolean: take an object that names it`,
    ),
  )
