import { join } from 'node:path'
import { cliSettings, proxyVariables, type CliDefinition } from '../definition/definition.ts'

const service = {
  baseVariable: 'GOOGLE_GEMINI_BASE_URL',
  baseUrl: 'https://generativelanguage.googleapis.com',
}

export const geminiDefinition: CliDefinition = {
  kind: 'gemini',
  title: 'Gemini CLI',
  about: 'Gemini CLI, headless',
  family: 'google',
  reportsTokensOnly: true,
  can: { resume: true, fork: true, subagents: true, compact: false },
  takes: [...cliSettings, 'max_turns'],
  thinkingBudgets: { reviewers: 10_000 },
  ranks: { fixer: 3, challenger: 1, reviewers: 2 },
  cli: {
    program: 'gemini',
    install: 'npm install -g @google/gemini-cli',
    testedVersion: '0.61.0',
    variables: [
      ...'GEMINI_API_KEY GOOGLE_API_KEY GOOGLE_GEMINI_BASE_URL GOOGLE_VERTEX_BASE_URL'.split(' '),
      ...'GEMINI_CLI_HOME GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_PROJECT_ID GOOGLE_CLOUD_LOCATION'.split(' '),
      ...'GOOGLE_APPLICATION_CREDENTIALS GOOGLE_GENAI_USE_VERTEXAI GOOGLE_GENAI_USE_GCA'.split(' '),
      'GOOGLE_GENAI_API_VERSION',
      ...proxyVariables,
    ],
    hosts: [
      'generativelanguage.googleapis.com',
      'aiplatform.googleapis.com',
      'cloudcode-pa.googleapis.com',
      'oauth2.googleapis.com',
      'accounts.google.com',
    ],
    keys: [
      { variable: 'GEMINI_API_KEY', header: 'x-goog-api-key', ...service },
      { variable: 'GOOGLE_API_KEY', header: 'x-goog-api-key', ...service },
    ],
    login: {
      how: 'run gemini and log in, or set GEMINI_API_KEY',
      variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'],
      place: '`~/.gemini/`',
      files: ({ env, home, folder }) => [
        { path: join(folder ?? env['GEMINI_CLI_HOME'] ?? home, '.gemini', 'oauth_creds.json') },
      ],
    },
  },
  create: async (setup) => (await import('./index.ts')).createGeminiAgent(setup),
}
