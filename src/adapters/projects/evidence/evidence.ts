import { inFolder, type CheckoutFiles } from './checkout.ts'

/** A file that is there, or a file whose text says something. */
export type Evidence = readonly [file: string, pattern: RegExp | null]

/** The first thing in a folder that says that a tool is used there, in words; null when nothing does. */
export async function firstEvidence(
  checkout: CheckoutFiles,
  folder: string,
  evidence: readonly Evidence[],
): Promise<string | null> {
  for (const [name, pattern] of evidence) {
    const path = inFolder(folder, name)
    if (!pattern && (await checkout.hasFile(path))) return path
    const line = pattern?.exec((await checkout.read(path)) ?? '')?.[0].trim()
    if (line) return `${line.replace(/^["']/, '')} in ${path}`
  }
  return null
}

/** Whether the project's own CI runs a tool. */
export async function workflowEvidence(checkout: CheckoutFiles, pattern: RegExp): Promise<string | null> {
  const evidence = checkout.workflows.map((path) => [path, pattern] as const)
  return firstEvidence(checkout, '', evidence)
}
