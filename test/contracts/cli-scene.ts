import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { afterEach, expect } from 'vitest'
import type { Agent } from '../../src/loop/ports.ts'
import type { AgentUpdate, AgentTask } from '../../src/model/agent/agent.ts'
import {
  startModelServer,
  type ModelKind,
  type ModelServer,
  type Step,
} from '../fixtures/model-servers/scenario.ts'
import { ask, fixerTask, makePlace, survivorsOf, type GivenRequest, type Place } from './agent-suite.ts'

const servers: ModelServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

/** A model server that is closed after the test; a request without a step fails the test. */
export async function serve(kind: ModelKind, scenario: readonly Step[]): Promise<ModelServer> {
  const server = await startModelServer({ kind, scenario })
  servers.push(server)
  return server
}

/** A failed ending; its message must match, and it has no reset unless one is given. */
export const failed = (kind: string, message: RegExp, more: object = {}) => ({
  ended: 'failed',
  kind,
  message: expect.stringMatching(message),
  reset_at: null,
  ...more,
})

/** The answers of a fixer and a challenger when all is well. */
export const report = JSON.stringify({
  issues: {
    'BE-001': { outcome: 'fixed', files_modified: ['src/total.js'], changes_summary: 'x', explanation: 'y' },
  },
})
export const verdict = JSON.stringify({
  issues: {
    'BE-001': {
      feedback: 'fine',
      quality_scores: { correctness: 100, safety: 100, minimality: 100, style_consistency: 100 },
    },
  },
})

/** Text that speaks of every kind of failure. A model's words never count as a failure. */
export const alarmingWords =
  'rate limit 429, credit balance is too low, quota exceeded, usage limit, 401 Unauthorized, overloaded'

export interface Scene {
  readonly place: Place
  readonly workspace: string
  readonly server: ModelServer
  readonly heard: readonly AgentUpdate[]
  run(given?: GivenRequest, task?: Partial<AgentTask>): ReturnType<Agent['run']>
}

export interface SceneRequest {
  readonly kind: ModelKind
  readonly scenario: readonly Step[] | ((workspace: string) => readonly Step[])
  readonly build: (place: Place, server: ModelServer) => Agent
}

/** One agent in one workspace, in front of a scripted model; no process of it is alive after a run. */
export async function openScene({ kind, scenario, build }: SceneRequest): Promise<Scene> {
  const place = makePlace()
  const workspace = place.workspace()
  const server = await serve(kind, typeof scenario === 'function' ? scenario(workspace) : scenario)
  const agent = build(place, server)
  const heard: AgentUpdate[] = []
  return {
    place,
    workspace,
    server,
    heard,
    async run(given = {}, task = {}) {
      const onUpdate = given.onUpdate ?? ((update: AgentUpdate) => void heard.push(update))
      const run = await agent.run(ask(fixerTask(workspace, task), { ...given, onUpdate }))
      expect(survivorsOf(place.home)).toEqual([])
      return run
    },
  }
}

/** Calls back as soon as a program of this name runs below an agent of this home. */
export function whenRunning(home: string, name: string, then: () => void): void {
  const timer = setInterval(() => {
    if (!isRunning(name, home)) return
    clearInterval(timer)
    then()
  }, 50)
}

/** Whether a program of this name runs below an agent of this home. */
export const isRunning = (name: string, home: string): boolean =>
  survivorsOf(home).some((pid) => programOf(pid) === name)

function programOf(pid: string): string {
  try {
    return basename(readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')[0] ?? '')
  } catch {
    return '' // ended meanwhile
  }
}
