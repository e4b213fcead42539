import { join } from 'node:path'
import { cliSettings, proxyVariables, type CliDefinition } from '../definition/definition.ts'

const service = { baseVariable: null, baseUrl: 'https://api.openai.com/v1' }

export const codexDefinition: CliDefinition = {
  kind: 'codex',
  title: 'Codex',
  about: '`codex exec`',
  family: 'openai',
  // It shortens conversations by itself, and cannot be asked to.
  reportsTokensOnly: true,
  can: { resume: true, fork: true, subagents: true, compact: false },
  takes: cliSettings,
  refusals: { max_turns: 'cannot be told how many turns it has' },
  ranks: { fixer: 2, challenger: 2, reviewers: 3 },
  cli: {
    program: 'codex',
    install: 'npm install -g @openai/codex',
    testedVersion: '0.166.0',
    variables: [
      'OPENAI_API_KEY',
      'CODEX_API_KEY',
      'OPENAI_ORGANIZATION',
      'OPENAI_PROJECT',
      'CODEX_HOME',
      ...proxyVariables,
    ],
    hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
    keys: [
      { variable: 'CODEX_API_KEY', header: 'authorization', prefix: 'Bearer ', ...service },
      { variable: 'OPENAI_API_KEY', header: 'authorization', prefix: 'Bearer ', ...service },
    ],
    login: {
      how: 'run codex login, or set CODEX_API_KEY',
      variables: ['CODEX_API_KEY'],
      place: '`~/.codex/auth.json`',
      files: ({ env, home, folder }) => [
        { path: join(folder ?? env['CODEX_HOME'] ?? join(home, '.codex'), 'auth.json') },
      ],
    },
  },
  create: async (setup) => (await import('./index.ts')).createCodexAgent(setup),
}
