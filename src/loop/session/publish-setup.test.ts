import { expect, it } from 'vitest'
import type { EventDraft } from '../context/step-events.ts'
import type { Recorder } from '../context/recorder.ts'
import type { SetupTold } from '../ports.ts'
import { publishSetup } from './publish-setup.ts'

function scene() {
  const told: string[] = []
  const kept: string[] = []
  const known = new Map<string, number>()
  let hear: ((told: SetupTold) => Promise<void>) | null = null
  let nowMs = 0
  const recorder = {
    publishEvent: ({ message }: EventDraft) => void told.push(message),
    recordEvents: async (drafts: readonly EventDraft[]) =>
      void kept.push(...drafts.map(({ message }) => message)),
  } as unknown as Recorder
  const ports = {
    workspaces: {
      onSetup: (listener: (told: SetupTold) => Promise<void>) => {
        hear = listener
        return () => void (hear = null)
      },
    },
    pace: {
      usualMs: async (what: string) => known.get(what) ?? null,
      note: async (what: string, ms: number) => void known.set(what, ms),
    },
    clock: { now: () => nowMs },
  } as unknown as Parameters<typeof publishSetup>[0]['ports']
  const end = publishSetup({ recorder, ports })
  const setUp = async (ms: number, run: string | null = 'npm ci') => {
    await hear?.({ run, isOver: false })
    nowMs += ms
    await hear?.({ run, isOver: true })
  }
  return { told, kept, setUp, end }
}

it('whoever waits for the setup is told of it, the second time with how long it takes', async () => {
  const { told, kept, setUp, end } = scene()
  await setUp(20_000)
  await setUp(20_000)
  expect(told).toEqual([
    'waiting for workspace.setup (npm ci)',
    'waiting for workspace.setup (npm ci), about 20 s',
  ])
  expect(kept).toEqual(['workspace.setup took 20.0 s', 'workspace.setup took 20.0 s'])
  end()
  await setUp(20_000)
  expect(kept).toHaveLength(2)
})

it('a setup that takes no second leaves no record', async () => {
  const { told, kept, setUp } = scene()
  await setUp(500)
  expect([told.length, kept.length]).toEqual([2, 0])
})

it('whoever waits for the files of a workspace is told of it, and nothing of that is kept', async () => {
  const { told, kept, setUp } = scene()
  await setUp(2_000, null)
  await setUp(2_000, null)
  expect(told).toEqual([
    'waiting for the files of a workspace',
    'the files of a workspace took 3.0 s',
    'waiting for the files of a workspace, about 3 s',
    'the files of a workspace took 3.0 s',
  ])
  expect(kept).toEqual([])
})
