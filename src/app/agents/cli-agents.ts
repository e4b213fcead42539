import type { AgentKind } from '../../model/config/written.ts'

export type CliKind = Extract<AgentKind, 'claude' | 'gemini' | 'codex'>

/** What is known of a vendor's CLI without starting it. */
export interface CliFacts {
  readonly title: string
  /** The version that the tests drive. */
  readonly testedVersion: string
  readonly install: string
  readonly logIn: string
}

export const cliAgents: Readonly<Record<CliKind, CliFacts>> = {
  claude: {
    title: 'Claude Code',
    testedVersion: '2.1.325',
    install: 'npm install -g @anthropic-ai/claude-code',
    logIn: 'run claude and log in, or set ANTHROPIC_API_KEY',
  },
  gemini: {
    title: 'Gemini CLI',
    testedVersion: '0.61.0',
    install: 'npm install -g @google/gemini-cli',
    logIn: 'run gemini and log in, or set GEMINI_API_KEY',
  },
  codex: {
    title: 'Codex',
    testedVersion: '0.166.0',
    install: 'npm install -g @openai/codex',
    logIn: 'run codex login, or set CODEX_API_KEY',
  },
}

export const cliKinds = Object.keys(cliAgents) as readonly CliKind[]

export const isCliKind = (kind: string): kind is CliKind => Object.hasOwn(cliAgents, kind)
