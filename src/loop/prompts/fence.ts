/** Puts text that comes from a repository, a finding or a tool into a fence it cannot close, so that it reads as data. */
export function fence(name: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const ticks = '`'.repeat(longest + 1)
  return `${ticks}${name}\n${text.replace(/\n+$/, '')}\n${ticks}`
}
