import { isSettled, type Attempt, type SettledAttempt } from '../../model/attempt/attempt.ts'
import type { Round } from '../../model/attempt/round.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Session } from '../../model/session/session.ts'
import { reasonNow, sessionResult } from '../../model/session/session-result.ts'

/** A session as one page that needs nothing else: no script, no picture, no other file. Everything said by others is text. */
export function formatSessionHtml(
  session: Session,
  attempts: readonly Attempt[],
  issues: readonly Issue[],
): string {
  const issueOf = new Map(issues.map((issue) => [issue.id, issue]))
  const result = sessionResult(session, attempts, issues)
  const title =
    result.branch_name ??
    `${countOf(result.issues_requested, 'issue')}, ${session.ended_at === null ? 'no branch yet' : 'nothing landed'}`
  const inOrder = attempts.toSorted((a, b) => a.position - b.position)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)} · Fixpoint</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p class="muted">${result.issues_fixed} of ${result.issues_requested} fixed, ${result.issues_failed} failed, ${result.issues_skipped} set aside. $${result.cost_usd.toFixed(2)}, ${countOf(result.verifications_run, 'version')} verified. From ${escaped(session.base.commit.slice(0, 10))}, ${escaped(session.created_at.slice(0, 16).replace('T', ' '))} UTC.</p>
${(session.warnings ?? []).map((warning) => `<p class="warn">${escaped(warning)}</p>`).join('\n')}
${inOrder.map((attempt) => attemptOf(attempt, issueOf.get(attempt.issue_id))).join('\n')}
</main>
</body>
</html>
`
}

function attemptOf(attempt: Attempt, issue: Issue | undefined): string {
  const outcome = isSettled(attempt) ? attempt.outcome : 'not finished'
  const look =
    outcome === 'fixed' ? 'ok' : ['refused', 'failed', 'blocked'].includes(outcome) ? 'bad' : 'warn'
  const reason = isSettled(attempt) ? (changeOf(attempt) ?? reasonNow(attempt, issue)) : doing[attempt.stage]
  const place = issue?.file ? `${issue.file}${issue.line ? `:${issue.line}` : ''}` : ''
  const commit = isSettled(attempt) ? attempt.commit_sha : null
  return `<section>
<h2><span class="code">${escaped(attempt.issue_code)}</span> ${escaped(issue?.title ?? '')} <span class="badge ${look}">${escaped(outcome.replaceAll('_', ' '))}</span></h2>
<p class="muted">${[place, commit ? `commit ${commit.slice(0, 10)}` : '', isSettled(attempt) && attempt.evidence ? `evidence ${attempt.evidence}` : ''].filter(Boolean).map(escaped).join(' · ')}</p>
<p class="${look === 'bad' ? 'bad' : ''}">${escaped(reason)}</p>
${attempt.rounds.map(roundOf).join('\n')}
</section>`
}

/** What landed, in the words of the fixer; the grade stands beside it. */
const changeOf = ({ outcome, rounds }: SettledAttempt): string | null =>
  outcome === 'fixed' ? (rounds.at(-1)?.report?.changes_summary ?? null) : null

/** What is done about an issue that has not come to its end. */
const doing: Readonly<Record<Exclude<Attempt['stage'], 'settled'>, string>> = {
  queued: 'It waits for its turn.',
  fixing: 'The fixer is at work on it.',
  inspecting: 'Its patch is looked at.',
  verifying: 'The checks judge its patch.',
  challenging: 'The challenger looks at its patch.',
  doubting: 'The challenger looks at whether it is a false positive.',
  bundled: 'It goes on with another issue, whose patch it shares.',
  held: 'It waits for a person.',
  accepted: 'Its patch is accepted and waits to land.',
}

const countOf = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

function roundOf(round: Round): string {
  const gates = round.gates.filter(({ status }) => status !== 'not_applicable')
  const failed = (round.verification?.commands ?? []).filter(({ status }) => status !== 'passed')
  return `<details><summary>Round ${round.round}, ${escaped(round.run.agent)}: ${escaped(round.refusal ?? 'accepted')}</summary>
${gates.length === 0 ? '' : `<ul>${gates.map(({ name, status, reason }) => `<li class="${status === 'passed' ? 'ok' : 'bad'}">${escaped(`${name}: ${reason}`)}</li>`).join('')}</ul>`}
${failed.map(({ name, output }) => `<h3>${escaped(name)}</h3><pre>${escaped(output.slice(-shownOutput))}</pre>`).join('\n')}
${round.challenge ? `<p>Challenger ${escaped(round.challenge.agent)}: ${escaped(round.challenge.status)}, score ${round.challenge.score ?? 'none'}. ${escaped(round.challenge.feedback)}</p>` : ''}
${round.diff === '' ? '' : `<pre>${diffOf(round.diff)}</pre>`}
</details>`
}

const shownOutput = 8_000

const diffOf = (diff: string): string =>
  diff
    .split('\n')
    .map((line) => {
      const look = /^\+(?!\+\+ )/.test(line) ? 'added' : /^-(?!-- )/.test(line) ? 'removed' : ''
      return look === '' ? escaped(line) : `<span class="${look}">${escaped(line)}</span>`
    })
    .join('\n')

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Signs that change how a line reads are left out, and nothing is markup. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '')
    .replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign)

const style = `
:root { color-scheme: light dark; --fg: #1a1a1f; --muted: #595966; --line: #e2e2e8; --bg: #fff; --sunken: #f5f5f7; --ok: #13703a; --bad: #b3211b; --warn: #8a4f05; --added: #e3f6e8; --removed: #fdeaea }
@media (prefers-color-scheme: dark) { :root { --fg: #e9e9ee; --muted: #a3a5b1; --line: #2b2d36; --bg: #15161b; --sunken: #1c1e24; --ok: #5bd58a; --bad: #ff8079; --warn: #f0b64a; --added: #12301d; --removed: #3a1a1c } }
body { margin: 0; background: var(--bg); color: var(--fg); font: 14px/1.5 ui-sans-serif, system-ui, sans-serif }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1rem; margin: 0 } h3 { font-size: .85rem } h1, h2, li { overflow-wrap: anywhere }
section { border-top: 1px solid var(--line); padding: 1rem 0 }
p { margin: .25rem 0; overflow-wrap: anywhere } .muted { color: var(--muted) }
.code { font-family: ui-monospace, monospace; color: var(--muted); font-weight: 400 }
.ok { color: var(--ok) } .bad { color: var(--bad) } .warn { color: var(--warn) }
.badge { font-size: .8rem; font-weight: 600 }
summary { cursor: pointer; color: var(--muted); margin-top: .5rem; overflow-wrap: anywhere }
pre { background: var(--sunken); padding: .75rem; overflow-x: auto; font: 12px/1.5 ui-monospace, monospace; border-radius: 6px }
.added { background: var(--added) } .removed { background: var(--removed) }
`
