import type { IssueId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Limits } from '../session/limits.ts'
import type { Ports } from '../ports.ts'
import type { Recorder } from '../session/recorder.ts'
import type { Slots } from '../session/slots.ts'

/** What working on several issues at once needs. */
export interface BatchContext {
  readonly recorder: Recorder
  readonly issues: ReadonlyMap<IssueId, Issue>
  readonly ports: Ports
  readonly limits: Limits
  readonly slots: Slots
  readonly stop: AbortSignal
  readonly abort: AbortSignal
}
