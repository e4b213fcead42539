/**
 * A small process that starts git for a large one: the cost of a start grows with the memory of the process that does
 * it.
 */
import { executeGit, type GitChildCall, type GitEnd } from './git-child.ts'

export interface HostRequest {
  readonly id: number
  readonly call: GitChildCall
}

export interface HostAnswer {
  readonly id: number
  readonly end: GitEnd
}

process.on('disconnect', () => process.exit())
process.on('message', ({ id, call }: HostRequest) => {
  void executeGit(call).then((end) => process.send?.({ id, end } satisfies HostAnswer))
})
// Ctrl-C in a terminal reaches the whole process group; the process that asked decides when to stop.
process.on('SIGINT', () => undefined)
