import { join } from 'node:path'
import { cliSettings, proxyVariables, type CliDefinition } from '../definition/definition.ts'

const service = { baseVariable: 'ANTHROPIC_BASE_URL', baseUrl: 'https://api.anthropic.com' }

export const claudeDefinition: CliDefinition = {
  kind: 'claude',
  title: 'Claude Code',
  about: 'Claude Code in its print mode',
  family: 'anthropic',
  keepsBudget: true,
  can: { resume: true, fork: true, subagents: true, compact: true },
  takes: [...cliSettings, 'max_turns'],
  thinkingBudgets: { reviewers: 20_000 },
  ranks: { fixer: 1, challenger: 3, reviewers: 1 },
  cli: {
    program: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
    testedVersion: '2.1.325',
    variables: [
      ...'ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL ANTHROPIC_CUSTOM_HEADERS'.split(' '),
      ...'ANTHROPIC_MODEL CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CONFIG_DIR CLAUDE_CODE_MAX_RETRIES'.split(' '),
      'API_TIMEOUT_MS',
      ...proxyVariables,
    ],
    hosts: ['api.anthropic.com', 'console.anthropic.com', 'platform.claude.com', 'claude.ai'],
    keys: [
      { variable: 'ANTHROPIC_API_KEY', header: 'x-api-key', ...service },
      { variable: 'ANTHROPIC_AUTH_TOKEN', header: 'authorization', prefix: 'Bearer ', ...service },
      { variable: 'CLAUDE_CODE_OAUTH_TOKEN', header: 'authorization', prefix: 'Bearer ', ...service },
      { variable: 'ANTHROPIC_CUSTOM_HEADERS', header: null, ...service },
    ],
    login: {
      how: 'run claude and log in, or set ANTHROPIC_API_KEY',
      variables: [
        'ANTHROPIC_API_KEY',
        'ANTHROPIC_AUTH_TOKEN',
        'CLAUDE_CODE_OAUTH_TOKEN',
        'CLAUDE_CODE_USE_BEDROCK',
        'CLAUDE_CODE_USE_VERTEX',
      ],
      place: '`~/.claude/`, `~/.claude.json`',
      files({ env, home, folder }) {
        const config = folder ?? env['CLAUDE_CONFIG_DIR']
        return [
          { path: join(config ?? join(home, '.claude'), '.credentials.json') },
          { path: join(config ?? home, '.claude.json'), holding: '"oauthAccount"' },
        ]
      },
    },
  },
  create: async (setup) => (await import('./index.ts')).createClaudeAgent(setup),
}
