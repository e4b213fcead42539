import type { GateDefinition } from './gate-definition.ts'

export const reproductionGate: GateDefinition = {
  name: 'reproduction',
  description:
    'does a test pass that another agent wrote from the finding alone, before the fix? It is red without it; the fixer never sees it',
  asks: {
    whom: 'fixer_once',
    question:
      'A test that another agent wrote for this problem fails with the fix. Is the fix right all the same?',
  },
  grade: 'E4',
  needs: 'verification',
  judge(_patch, { verification: { status, reproduction }, requiresReproduction, claim }) {
    if (!reproduction && claim?.grade === 'E4')
      return {
        status: 'not_evaluated',
        reason:
          status === 'passed'
            ? 'the test that another agent wrote is in the note, which is not here'
            : 'the commands are not green, so no test can prove anything',
      }
    if (!reproduction) return { status: 'not_applicable', reason: 'no other agent has written a test for it' }
    const isMissed = reproduction.status === 'not_evaluated' && !requiresReproduction && !claim
    return { status: isMissed ? 'not_applicable' : reproduction.status, reason: reproduction.reason }
  },
}
