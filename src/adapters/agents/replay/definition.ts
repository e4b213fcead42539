import { resolve } from 'node:path'
import { noPowers } from '../../../loop/ports.ts'
import type { AgentDefinition } from '../definition/definition.ts'

const noModel = 'uses no model'

export const replayDefinition: AgentDefinition = {
  kind: 'replay',
  title: 'Recorded runs',
  about: 'runs that were recorded with `fixpoint fix --record FOLDER`',
  needs: '`run: FOLDER`',
  family: null,
  can: noPowers,
  takes: ['run'],
  refusals: {
    model: noModel,
    thinking_budget: noModel,
    env: 'starts no program that could see them',
  },
  run: { is: 'folder', what: 'the folder of a recorded run' },
  create: async ({ name, root, run }) =>
    (await import('./index.ts')).createReplayAgent({ name, folder: resolve(root, run) }),
}
