import { titleOf } from '../../model/issue/finding-text.ts'
import type { Issue } from '../../model/issue/issue.ts'

/** A reader takes the first sentence as the title, so the title comes first where the description begins otherwise. */
export function issueMessage({ title, description }: Pick<Issue, 'title' | 'description'>): string {
  if (description === '' || description === title) return title
  return titleOf(description) === title ? description : `${title}\n\n${description}`
}

/** Divides the description of an issue without a file from the place that its source wrote instead, which helps to find the issue again. */
export function splitPlace(text: string): { readonly description: string; readonly note: string | null } {
  const found = /\n\nPlace: (.+)/.exec(text)
  if (!found?.[1]) return { description: text, note: null }
  return {
    description: text.slice(0, found.index) + text.slice(found.index + found[0].length),
    note: found[1],
  }
}

/** A web page about the issue's rule. */
export const pageOf = ({ references }: Pick<Issue, 'references'>): string | undefined =>
  references.find((reference) => /^https?:\/\//i.test(reference))
