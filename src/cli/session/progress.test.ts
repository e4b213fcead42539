import { expect, it } from 'vitest'
import type { FixEvent } from '../../model/session/event.ts'
import type { Output } from '../command/output.ts'
import { createProgress } from './progress.ts'

it('what ends many issues at once is told once, and then who else it ends', () => {
  const lines: string[] = []
  const output = { mode: 'text', isInteractive: false, say: (line: string) => lines.push(line) }
  const progress = createProgress(output as unknown as Output, process.stderr)
  const why = `not_evaluated: the checks can judge nothing here: ${'a reason '.repeat(8).trim()}`
  const end = (issue_code: string, message: string): void =>
    progress.onEvent({ type: 'fix_issue_completed', issue_code, message, details: {} } as FixEvent)
  end('BE-001', why)
  end('BE-002', why)
  end('BE-003', 'fixed: landed')
  end('BE-004', 'fixed: landed')
  expect(lines).toEqual([
    `BE-001: completed: ${why}`,
    'BE-002: completed: not_evaluated, like BE-001',
    'BE-003: completed: fixed: landed',
    'BE-004: completed: fixed: landed',
  ])
})
