import { stringify } from 'yaml'
import type { Detection, Guess } from './detection.ts'

/** A `fixpoint.yaml` that says what was guessed and why, and loads as it is. */
export function formatConfigFile(detection: Detection): string {
  const sections = [
    header(detection),
    verifySection(detection),
    workspaceSection(detection),
    classesSection(detection),
    agentsSection(detection),
    rest,
  ]
  return sections.filter((section) => section !== '').join('\n')
}

function header({ languages, packageManager, workspaces, notes }: Detection): string {
  const lines = [
    'fixpoint.yaml: how Fixpoint checks and fixes this repository.',
    'Every value here was guessed from files; nothing was run. Read it, correct it, commit it.',
    'All keys are explained in docs/reference/configuration.md; fixpoint config shows the values in use.',
    '',
    ...languages.slice(0, 5).map((guess) => `Language: ${describe(guess)}`),
    ...(packageManager ? [`Package manager: ${describe(packageManager)}`] : []),
    ...(workspaces.length > 0 ? [`Packages: ${workspaces.length}, such as ${describe(workspaces[0])}`] : []),
    ...notes.map((note) => `Note: ${note}`),
  ]
  return comment(lines)
}

function verifySection({ commands }: Detection): string {
  if (commands.length === 0) {
    const lines = [
      'No test, lint or build command was found. Without any, no fix can be proven (evidence E0), so nothing lands.',
      'Name a command here; or, to let fixes land unverified, set min_evidence under land below to E0.',
      '  commands:',
      '    - { name: test, run: make test, timeout: 5m }',
    ]
    return `${comment(lines)}verify:\n  commands: []\n`
  }
  const lead = 'These must be green on the base and stay green with a fix. A command that takes longer is not evaluated.'
  const entries = commands.map(({ name, run, paths, why }) =>
    [
      `    # ${oneLine(why)}`,
      `    - name: ${scalar(name)}`,
      `      run: ${scalar(run)}`,
      '      timeout: 5m',
      ...(paths.length > 0 ? [`      paths: ${list(paths)}`] : []),
      '',
    ].join('\n'),
  )
  return `${comment([lead])}verify:\n  commands:\n${entries.join('')}`
}

function workspaceSection({ setup, share }: Detection): string {
  if (!setup && share.length === 0) return ''
  const lines = [
    ...(setup ? [`  # Runs once per lock-file content: ${oneLine(setup.why)}.`, `  setup: ${scalar(setup.value)}`] : []),
    ...(share.length > 0
      ? ['  # Copied into every workspace, because git ignores it and commands need it:', '  share:']
      : []),
    ...share.map((guess) => `    - ${scalar(guess.value)} # ${oneLine(guess.why)}`),
  ]
  return `${comment(['Fixes are made in private copies of the tree.'])}workspace:\n${lines.join('\n')}\n`
}

function classesSection({ classes }: Detection): string {
  const lines = (['BE', 'FE'] as const).flatMap((name) =>
    classes[name].length === 0
      ? []
      : [`  ${name}:`, ...classes[name].map((guess) => `    - ${scalar(guess.value)} # ${oneLine(guess.why)}`)],
  )
  if (lines.length === 0) return ''
  return `${comment(['Which files are back end and which are front end; others are told by their extension.'])}classes:\n${lines.join('\n')}\n`
}

function agentsSection({ agents }: Detection): string {
  const found = agents.length === 0 ? ['None of claude, gemini and codex was found on the PATH.'] : agents.map((agent) => `Found: ${describe(agent)}`)
  const lines = [
    'Who reviews, fixes and challenges. "rules" is built in and needs no model; a program of your own can be an agent too:',
    '  fixer: { use: command, run: node my-agent.mjs, timeout: 15m }',
    ...found,
  ]
  return `${comment(lines)}agents:\n  fixer: rules\n  challenger: rules\n  reviewers: [rules]\n`
}

const rest = `fix:
  # Rounds per issue, and how many issues are worked on at the same time.
  max_rounds: 3
  concurrency: 4

challenge:
  # An independent agent must give a patch this score, of 100.
  enabled: true
  threshold: 90

land:
  # E1: checks are green. E0 would land fixes that nothing has proven.
  min_evidence: E1
`

const describe = (guess: Guess<string> | undefined): string => (guess ? oneLine(`${guess.value} (${guess.why})`) : '')

const comment = (lines: readonly string[]): string => lines.map((line) => `# ${oneLine(line)}`.trimEnd()).join('\n') + '\n'

/** Text from the repository may hold anything: here it must not leave its comment. */
const oneLine = (text: string): string => {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
  return plain.length > 150 ? `${plain.slice(0, 149)}…` : plain
}

const scalar = (text: string): string => stringify(text, { lineWidth: 0, defaultStringType: 'PLAIN', blockQuote: false }).trimEnd()
const list = (items: readonly string[]): string => `[${items.map((item) => JSON.stringify(item)).join(', ')}]`
