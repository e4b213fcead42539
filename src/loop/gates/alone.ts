import { listPaths } from '../../model/proof/patch.ts'
import type { GateDefinition } from './gate-definition.ts'

export const aloneGate: GateDefinition = {
  name: 'alone',
  description:
    "as green without changed files that the finding's file has nothing to do with? Else a person decides",
  asks: { whom: 'person', question: 'May these other files of the patch make its checks green?' },
  needs: 'verification',
  judge(_patch, { verification: { alone } }) {
    if (!alone)
      return {
        status: 'not_applicable',
        reason: "nothing was changed but the finding's file, what goes with it, and tests",
      }
    const { paths, status, reason } = alone
    if (status === 'passed') return { status, reason: `as green without ${listPaths(paths)}` }
    return {
      status: 'failed',
      reason: `the checks are green only with what was changed beside the finding's file: ${listPaths(paths)}; without it: ${reason}`,
      paths,
    }
  },
}
