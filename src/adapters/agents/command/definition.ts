import { noPowers } from '../../../loop/ports.ts'
import type { AgentDefinition } from '../definition/definition.ts'

export const commandDefinition: AgentDefinition = {
  kind: 'command',
  title: 'A program of your own',
  about: 'any program: the prompt on stdin, the last JSON object it prints is read',
  needs: '`run: node my-agent.mjs`',
  family: null,
  can: noPowers,
  takes: ['run', 'model', 'thinking_budget', 'env'],
  run: { is: 'program', what: 'a program to start' },
  create: async (setup) => (await import('./index.ts')).createCommandAgent(setup),
}
