/** The program of the Action: it runs Fixpoint as a person would, and tells GitHub the result. It needs only Node and npm. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const { env } = process
/** @param {string} name */
const input = (name) => (env[`INPUT_${name}`] ?? '').trim()
const pull = env.PULL_REQUEST ?? ''
const comment = env.COMMENT ?? ''
const folder = env.RUNNER_TEMP ?? env.TMPDIR ?? '/tmp'
const failOn = new Set(
  input('FAIL_ON')
    .split(',')
    .map((word) => word.trim()),
)
/** @type {Record<string, string>} */
const outputs = {
  'findings-count': '0',
  'fixed-count': '0',
  'session-id': '',
  branch: '',
  'pull-request-number': '',
  approved: '',
  'total-cost-usd': '0',
  'sarif-file': '',
  'bundle-file': '',
}

/** A path is a checkout; everything else is a version of the package. */
const version = input('VERSION') || 'latest'
/**
 * npx obeys the .npmrc and the node_modules of the folder it is started in, and the checkout may be a stranger's. So npx is
 * started in an empty folder, and only Fixpoint itself goes back to the checkout.
 */
const neutral = mkdtempSync(join(folder, 'npx-'))
const program = version.startsWith('/')
  ? { start: [process.execPath, join(version, 'bin/fixpoint.js')], cwd: process.cwd() }
  : {
      start: ['npx', '--yes', `--package=fixpoint@${version}`, '--', 'sh', '-c']
        .concat('cd "$1" && shift && exec fixpoint "$@"')
        .concat('sh', process.cwd()),
      cwd: neutral,
    }

const settings = {
  ...(comment && input('BUDGET_USD') && { FIXPOINT_FIX_BUDGET_USD: input('BUDGET_USD') }),
  ...(input('FIXER') && { FIXPOINT_AGENTS_FIXER: input('FIXER') }),
  ...(input('CHALLENGER') && { FIXPOINT_AGENTS_CHALLENGER: input('CHALLENGER') }),
  ...(input('REVIEWERS') && {
    FIXPOINT_AGENTS_REVIEWERS: JSON.stringify(
      input('REVIEWERS')
        .split(',')
        .map((name) => name.trim()),
    ),
  }),
  FIXPOINT_HOME: env.FIXPOINT_HOME ?? join(folder, 'fixpoint'),
  CI: 'true',
}

/**
 * The answers of Fixpoint's commands, as far as this script reads them.
 * @typedef {{ title: string, description: string, severity: string, category: string, file: string | null, line: number | null, end_line: number | null }} Finding
 * @typedef {{ agent: string, score: number | null, summary: string, missing: string | null, findings: Finding[], cost_usd?: number }} Vote
 * @typedef {{ message?: string, status?: string, reason?: string, votes?: Vote[], findings?: number, issues_fixed?: number, session_id?: string, branch_name?: string, cost_usd?: number, number?: number }} Answer
 */

/** @param {string[]} args */
function fixpoint(...args) {
  const [command = '', ...first] = program.start
  const run = spawnSync(command, [...first, ...args], {
    cwd: program.cwd,
    env: { ...env, ...settings },
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exitCode = run.status ?? 1
  /** @type {Answer} */
  let json = {}
  try {
    json = /** @type {Answer} */ (JSON.parse(run.stdout))
  } catch {
    if (args.includes('--json'))
      console.log(`::warning::fixpoint ${args[0]} gave no result (exit ${exitCode})`)
  }
  return { exitCode, json, stdout: run.stdout }
}

/** Escapes text for a command of the runner. @param {string} text */
function oneLine(text) {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** @type {string[]} */
const reasons = []
/**
 * Exit code 1 means unresolved, 3 not evaluated, and 5 that a person is awaited; the others are faults.
 * @param {string} what
 * @param {{ exitCode: number, json: Answer }} run
 */
function judge(what, { exitCode, json }) {
  if (exitCode === 0) return
  const kind = { 1: 'unresolved', 3: 'not_evaluated', 4: 'not_evaluated', 5: 'held' }[exitCode] ?? 'fault'
  if (kind === 'fault' || failOn.has(kind))
    reasons.push(`${what}: ${kind} (exit ${exitCode})${json.message ? `: ${json.message}` : ''}`)
}

/** Asks for the votes only, because a pull request is judged by the configuration of its base branch. */
function reviewPull() {
  const voted = fixpoint(
    'pr',
    'review',
    pull,
    '--json',
    '--yes',
    ...(input('POST') === 'true' ? ['--post'] : []),
  )
  judge('votes', voted)
  const votes = voted.json.votes ?? []
  outputs['findings-count'] = String(votes.reduce((sum, vote) => sum + vote.findings.length, 0))
  outputs['pull-request-number'] = pull
  outputs.approved = String(voted.json.status === 'approved')
  outputs['total-cost-usd'] = String(votes.reduce((sum, vote) => sum + (vote.cost_usd ?? 0), 0))
  if (!voted.json.status) return
  summarize(voted.json.status, voted.json.reason ?? '', votes)
  keepFindings(votes)
}

/**
 * @param {string} status
 * @param {string} reason
 * @param {Vote[]} votes
 */
function summarize(status, reason, votes) {
  if (!env.GITHUB_STEP_SUMMARY) return
  const rows = votes.map(
    ({ agent, score, summary, missing }) =>
      `| ${cell(agent)} | ${score ?? 'no vote'} | ${cell(score === null ? (missing ?? '') : summary)} |`,
  )
  const table = ['| Voter | Score | Summary |', '| --- | --- | --- |', ...rows].join('\n')
  appendFileSync(
    env.GITHUB_STEP_SUMMARY,
    `## Fixpoint: ${status.replaceAll('_', ' ')}\n\n${cell(reason)}\n\n${table}\n\n`,
  )
}

/** Puts the text of agents on one line and escapes it, so that it is shown and not obeyed. @param {string} text */
const cell = (text) =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_<>[\]|!@#]/g, String.raw`\$&`)
    .slice(0, 500)

/** Makes issues of the voters' findings, so that they can be annotated and uploaded. @param {Vote[]} votes */
function keepFindings(votes) {
  const findings = votes.flatMap((vote) =>
    vote.findings.map(({ description: issue, ...finding }) => ({ ...finding, issue })),
  )
  if (findings.length === 0 && input('UPLOAD_SARIF') !== 'true') return
  const file = join(folder, 'fixpoint-votes.json')
  writeFileSync(file, JSON.stringify({ schema: 'fixpoint.findings.v1', source: 'votes', findings }))
  judge('import', fixpoint('import', file, '--json'))
  report()
}

function reviewCode() {
  const reviewed = fixpoint('review', '--json', '--yes', ...(input('BASE') ? ['--base', input('BASE')] : []))
  judge('review', reviewed)
  outputs['findings-count'] = String(reviewed.json.findings ?? 0)
}

/** Obeys a comment; Fixpoint asks GitHub whether the author of the comment may give orders. */
function answer() {
  const answered = fixpoint('pr', 'answer', comment, '--json', '--yes')
  judge('comment', answered)
  outputs['pull-request-number'] = String(answered.json.number ?? '')
  outputs['session-id'] = answered.json.session_id ?? ''
  outputs['fixed-count'] = String(answered.json.issues_fixed ?? 0)
  outputs['total-cost-usd'] = String(answered.json.cost_usd ?? 0)
}

/** Marks the issues that wait in open pull requests, so that even a machine without memory does not fix them again. */
function findProposed() {
  if (!env.GH_TOKEN && !env.GITHUB_TOKEN) return
  const { exitCode, json } = fixpoint('pr', 'sync', '--json', '--yes')
  if (exitCode === 0) return
  const why = oneLine(json.message ?? `exit ${exitCode}`)
  console.log(`::warning::open pull requests could not be read, so what they fix may be fixed again: ${why}`)
}

function fix() {
  reviewCode()
  findProposed()
  const fixed = fixpoint(
    'fix',
    '--all',
    '--json',
    '--yes',
    ...(input('SEVERITY') ? ['--severity', input('SEVERITY')] : []),
    ...(input('BUDGET_USD') ? ['--budget', input('BUDGET_USD')] : []),
  )
  judge('fix', fixed)
  outputs['fixed-count'] = String(fixed.json.issues_fixed ?? 0)
  outputs['session-id'] = fixed.json.session_id ?? ''
  outputs.branch = fixed.json.branch_name ?? ''
  outputs['total-cost-usd'] = String(fixed.json.cost_usd ?? 0)
  if (!outputs.branch) return
  const bundle = join(folder, 'fixpoint.bundle')
  const exported = fixpoint('export', 'bundle', outputs['session-id'] ?? '', '--output', bundle, '--json')
  judge('export bundle', exported)
  if (exported.exitCode === 0) outputs['bundle-file'] = bundle
  if (input('POST') !== 'true') return
  const published = fixpoint('pr', 'create', outputs['session-id'] ?? '', '--json', '--yes')
  judge('pr create', published)
  outputs['pull-request-number'] = String(published.json.number ?? '')
}

function report() {
  const file = join(folder, 'fixpoint.sarif')
  const upload = input('UPLOAD_SARIF') === 'true'
  const exported = fixpoint('export', 'sarif', '--output', file, '--json', ...(upload ? ['--upload'] : []))
  judge('export', exported)
  if (exported.exitCode === 0) outputs['sarif-file'] = file
  const annotations = fixpoint('export', 'github', ...(env.GITHUB_STEP_SUMMARY ? ['--summary'] : []))
  process.stdout.write(annotations.stdout)
}

/** @type {Record<string, () => void>} */
const modes = {
  review: () => {
    if (pull) return reviewPull()
    reviewCode()
    report()
  },
  fix: () => {
    fix()
    report()
  },
}
const mode = modes[input('MODE') || 'review']
if (!mode) {
  console.log(`::error::mode is review or fix, not ${JSON.stringify(input('MODE'))}`)
  process.exit(2)
}
if (comment) answer()
else mode()
const lines = Object.entries(outputs).map(
  ([name, value]) => `${name}=${String(value).replaceAll(/[\r\n]/g, ' ')}\n`,
)
if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, lines.join(''))
else writeFileSync(join(folder, 'fixpoint-outputs.txt'), lines.join(''))
for (const reason of reasons) console.log(`::error::${oneLine(reason)}`)
process.exit(reasons.length > 0 ? 1 : 0)
