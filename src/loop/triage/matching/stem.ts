/** Cuts the commonest English endings; other scripts stay as they are. */
export function stem(text: string): string {
  return text.length < 5
    ? text.replace(/s$/, '')
    : text.replace(/(?:at(?:e[ds]?|ing|ions?|ors?)|ions?|ings?|ers?|ed|es|e|s|ly)$/, '')
}
