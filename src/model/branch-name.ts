const maxSlug = 60

/** `fix/<slug of first title>[-and-N-more]`, for any script or length of title. */
export function branchNameFor(first: string, more: number): string {
  const slug = slugOf(first) || 'findings'
  return `fix/${slug}${more > 0 ? `-and-${more}-more` : ''}`
}

/** Letters and digits of any script, everything else a dash; git-safe by construction. */
function slugOf(title: string): string {
  const plain = title
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  return [...plain]
    .slice(0, maxSlug)
    .join('')
    .normalize('NFC')
    .replaceAll(/^-+|-+$/g, '')
}

/** The same name with a number, for when the plain one is taken. */
export const numberedBranch = (name: string, number: number): string =>
  number < 2 ? name : `${name}-${number}`
