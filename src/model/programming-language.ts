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
  hpp: 'C++',
  swift: 'Swift',
  scala: 'Scala',
  lua: 'Lua',
  dart: 'Dart',
  ex: 'Elixir',
}

/** The language that a program is written in, by the name of its file; null for what is no program that people write. */
export const nameLanguage = (path: string): string | null => byExtensionOf(path, byExtension)

/** What a table by extensions says of a file, in whatever case its name is written; null where it says nothing. */
export function byExtensionOf<Known>(path: string, table: Readonly<Record<string, Known>>): Known | null {
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(table, extension) ? (table[extension] ?? null) : null
}
