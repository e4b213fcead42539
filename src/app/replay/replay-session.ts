import { replayDefinition } from '../../adapters/agents/replay/definition.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Branches, Ports } from '../../loop/ports.ts'
import { runSession, type SessionSignals } from '../../loop/session/run-session.ts'
import { startSession } from '../../loop/session/start-session.ts'
import { createRunMark } from '../../adapters/process/run-mark.ts'
import { Fault } from '../../model/fault.ts'
import { moveIssue, type Issue } from '../../model/issue/issue.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import type { Override } from '../config/overrides.ts'
import { outcomeOf, type FixOutcome } from '../fix/stored-session.ts'
import { resolveBase } from '../resolve-base.ts'
import { sessionOptions } from '../prepare/session-options.ts'
import { copyStore } from '../open-store.ts'
import { openApp, type App } from '../open-app.ts'
import { readRecordedSession } from '../fix/recorded-session.ts'

export interface ReplayRequest {
  readonly cwd: string
  readonly env: Variables
  readonly folder: string
  /** The policy to try: threshold, rounds and the like. */
  readonly flags: readonly Override[]
  readonly signals: SessionSignals
}

export interface ReplayOutcome extends FixOutcome {
  /** The recorded session as it ended then, when it is still known. */
  readonly recorded: FixOutcome | null
}

/** Runs a recorded session once more from its recordings: nothing is paid, and neither the repository nor the issues change. */
export async function replaySession(request: ReplayRequest): Promise<ReplayOutcome> {
  const folder = resolve(request.cwd, request.folder)
  const recorded = await readRecordedSession(folder)
  const home = await mkdtemp(join(tmpdir(), 'fixpoint-replay-'))
  try {
    await copyStore(request.env, join(home, 'fixpoint.db'))
    const app = await openApp({
      cwd: request.cwd,
      env: { ...request.env, FIXPOINT_HOME: home, FIXPOINT_DATABASE: undefined },
      flags: [...fromRecording(folder), ...request.flags],
    })
    try {
      const stored = await app.store.sessions.load(recorded.session_id)
      const earlier = stored && (await outcomeOf(app, stored))
      const ports: Ports = { ...(await app.ports()), branches: nowhere }
      const session = await startSession(
        {
          repositoryId: app.repository.id,
          issues: await reopened(app, recorded.issue_ids),
          base: await resolveBase(app, recorded.base),
          options: sessionOptions(app, recorded.notes),
          branch: null,
          useExistingBranch: false,
          owner: createRunMark(home),
        },
        ports,
      )
      return {
        ...(await outcomeOf(app, await runSession(session, ports, request.signals))),
        recorded: earlier,
      }
    } finally {
      await app.close()
    }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

const fromRecording = (folder: string): readonly Override[] =>
  ['agents.fixer', 'agents.challenger', 'agents.clarifier', 'agents.planner'].map((key) => ({
    where: 'fixpoint replay',
    key,
    value: { use: replayDefinition.kind, run: folder },
  }))

/** Lands on no branch at all. */
const nowhere: Branches = {
  check: async () => ({ state: 'free' }),
  move: async () => ({ moved: true }),
  note: async () => undefined,
  keep: async ({ name }) => `refs/fixpoint/${name}`,
  drop: async () => undefined,
  branchOf: async () => null,
  names: async () => new Set(),
  hold: async () => true,
}

async function reopened(app: App, ids: readonly Issue['id'][]): Promise<readonly Issue[]> {
  const issues = await app.store.issues.get(ids)
  const missing = ids.filter((id) => !issues.some((issue) => issue.id === id))
  if (missing.length > 0)
    throw new Fault('not_found', `${missing.length} of the recorded issues are not known here any more`)
  return Promise.all(
    issues.map(async (issue) =>
      issue.status === 'open'
        ? issue
        : app.store.issues.change(issue.id, issue.status === 'in_progress' ? 'engine' : 'person', (now) =>
            moveIssue(now, 'open', now.status === 'in_progress' ? 'engine' : 'person'),
          ),
    ),
  )
}
