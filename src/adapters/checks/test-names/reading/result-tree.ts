import type { ParsedTest, TestStatus } from './test-run.ts'

/** A result with the results below it, as nested formats print them. */
export interface ResultNode {
  readonly name: string
  readonly status: TestStatus
  readonly children: readonly ResultNode[]
}

/** Deeper nesting than anyone writes is not a test. */
export const MAX_DEPTH = 100

export interface FlatResults {
  readonly tests: readonly ParsedTest[]
  readonly leaves: number
  readonly groups: number
  readonly failedLeaves: number
  readonly failedGroups: number
}

/** The leaves as tests; a group appears only when it failed though nothing in it did (a hook, its own assertion). */
export function flattenResults(roots: readonly ResultNode[]): FlatResults {
  const tests: ParsedTest[] = []
  let [leaves, groups, failedLeaves, failedGroups] = [0, 0, 0, 0]

  /** Returns whether anything in the node failed. */
  function visit(node: ResultNode, path: readonly string[]): boolean {
    const here = [...path, node.name]
    const failed = node.status === 'failed'
    if (node.children.length === 0) {
      leaves += 1
      if (failed) failedLeaves += 1
      tests.push({ path: here, status: node.status, kind: failed && isFailedFile(here) ? 'suite' : 'test' })
      return failed
    }
    groups += 1
    if (failed) failedGroups += 1
    const failedBelow = node.children.map((child) => visit(child, here)).includes(true)
    if (failed && !failedBelow) tests.push({ path: here, status: 'failed', kind: 'suite' })
    return failed || failedBelow
  }

  for (const root of roots) visit(root, [])
  return { tests, leaves, groups, failedLeaves, failedGroups }
}

/** A test file that could not run at all is reported under its file name. */
function isFailedFile(path: readonly string[]): boolean {
  return path.length === 1 && /\.[cm]?[jt]sx?$/.test(path[0] ?? '')
}
