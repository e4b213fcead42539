import type { AgentDefinition } from '../definition/definition.ts'

export const acpDefinition: AgentDefinition = {
  kind: 'acp',
  title: 'Agent Client Protocol',
  about: 'any agent that speaks the Agent Client Protocol over stdin and stdout',
  needs: '`run: "gemini --acp"`, or another program',
  family: null,
  // Whether an agent can resume is only known once it runs; a conversation that it cannot load is reported as lost.
  can: { resume: true, fork: false, subagents: false, compact: false },
  takes: ['run', 'model', 'thinking_budget', 'env'],
  run: { is: 'program', what: 'a program to start' },
  create: async (setup) => (await import('./index.ts')).createAcpAgent(setup),
}
