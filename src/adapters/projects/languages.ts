import type { CheckoutFiles } from './evidence/checkout.ts'
import type { Guess } from './evidence/detection.ts'

const byExtension: Readonly<Record<string, string>> = {
  ts: 'TypeScript',
  tsx: 'TypeScript',
  mts: 'TypeScript',
  cts: 'TypeScript',
  js: 'JavaScript',
  jsx: 'JavaScript',
  mjs: 'JavaScript',
  cjs: 'JavaScript',
  vue: 'Vue',
  svelte: 'Svelte',
  py: 'Python',
  go: 'Go',
  rs: 'Rust',
  java: 'Java',
  kt: 'Kotlin',
  rb: 'Ruby',
  php: 'PHP',
  cs: 'C#',
  c: 'C',
  h: 'C',
  cpp: 'C++',
  cc: 'C++',
  swift: 'Swift',
  scala: 'Scala',
}

/** The languages of a checkout, the most used first. */
export function detectLanguages({ files }: Pick<CheckoutFiles, 'files'>): readonly Guess<string>[] {
  const found = new Map<string, string[]>()
  for (const file of files) {
    const language = byExtension[/\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? '']
    if (language) found.set(language, [...(found.get(language) ?? []), file])
  }
  return [...found]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([value, [first = '', ...more]]) => ({
      value,
      why: more.length === 0 ? first : `${more.length + 1} files such as ${first}`,
    }))
}
