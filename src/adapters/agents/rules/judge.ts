import { applyPatch, parsePatch, reversePatch, type StructuredPatch } from 'diff'
import type { AgentTask } from '../../../model/agent/agent.ts'
import type { QualityScores } from '../../../model/proof/challenge.ts'
import { readWorkspaceFile } from './review-files.ts'
import type { Source } from './engine/found.ts'
import { scanSources, type Rule } from './scan-sources.ts'

export type Judgement =
  | { readonly scores: QualityScores; readonly feedback: string; readonly improvements: readonly string[] }
  | { readonly cannot: string }

interface FileChange {
  readonly file: string
  readonly before: string
  readonly after: string
  readonly changedLines: number
}

/** Runs the rules over every changed file before and after the patch, and scores by what they say. */
export async function judgePatch(
  task: AgentTask,
  rules: readonly Rule[],
  signal: AbortSignal,
): Promise<Judgement> {
  const issue = task.issues[0]
  const rule = rules.find(({ id }) => id === issue?.rule)
  if (!issue || !rule)
    return {
      cannot:
        'the rules can only judge findings of their own; name another challenger, or set challenge.enabled: false',
    }
  if (task.diff === null) return judgeClaim({ ...task, file: issue.file }, rule, signal)
  const changes: FileChange[] = []
  for (const patch of parsePatch(task.diff)) {
    const change = await readChange(task.workspace, patch)
    if ('cannot' in change) return change
    changes.push(change)
  }
  const [before, after] = await Promise.all([
    countByRule(
      changes.map(({ file, before: text }) => ({ path: file, text })),
      rules,
      signal,
    ),
    countByRule(
      changes.map(({ file, after: text }) => ({ path: file, text })),
      rules,
      signal,
    ),
  ])
  if ('cannot' in before) return before
  if ('cannot' in after) return after
  return scorePatch(rule, changes, { before: before.counts, after: after.counts })
}

type Counts = ReadonlyMap<string, number>

function scorePatch(
  rule: Rule,
  changes: readonly FileChange[],
  { before, after }: { readonly before: Counts; readonly after: Counts },
): Judgement {
  const isSilenced = (after.get(rule.id) ?? 0) < (before.get(rule.id) ?? 0)
  const added = [...after].filter(([id, count]) => count > (before.get(id) ?? 0)).map(([id]) => id)
  const lines = changes.reduce((sum, change) => sum + change.changedLines, 0)
  const improvements = [
    ...(isSilenced ? [] : [`${rule.id} still reports this`]),
    ...added.map((id) => `the change introduces a finding of ${id}`),
  ]
  return {
    scores: {
      correctness: isSilenced ? 100 : 0,
      safety: Math.max(0, 100 - 40 * added.length),
      minimality: Math.max(40, 100 - Math.max(0, lines - 12) - 10 * Math.max(0, changes.length - 1)),
      style_consistency: changes.some(addsTrailingSpace) ? 70 : 100,
    },
    feedback:
      improvements.length > 0
        ? improvements.join('; ')
        : `${rule.id} is silent now, and no rule found anything new`,
    improvements,
  }
}

/** Nothing was changed because the finding is said to be wrong: the rule is asked once more. */
async function judgeClaim(
  { workspace, file }: { readonly workspace: string; readonly file: string | null },
  rule: Rule,
  signal: AbortSignal,
): Promise<Judgement> {
  const text = file === null ? null : await readWorkspaceFile(workspace, file)
  if (file === null || text === null) return { cannot: `${file ?? 'the finding'} cannot be read` }
  const scan = (await scanSources([{ path: file, text }], [rule], signal)).get(file)
  if (!scan || scan.status === 'skipped') return { cannot: `${file}: ${scan?.why ?? 'it cannot be read'}` }
  const sure = scan.matches.length === 0 ? 100 : 0
  return {
    scores: { correctness: sure, safety: sure, minimality: sure, style_consistency: sure },
    feedback: sure === 0 ? `${rule.id} still reports this` : `${rule.id} does not report this`,
    improvements: [],
  }
}

async function readChange(
  workspace: string,
  patch: StructuredPatch,
): Promise<FileChange | { cannot: string }> {
  const file = plainName(patch.newFileName) ?? plainName(patch.oldFileName)
  if (file === null) return { cannot: 'the diff cannot be read' }
  const isDeleted = patch.newFileName === '/dev/null'
  const after = isDeleted ? '' : await readWorkspaceFile(workspace, file)
  if (after === null) return { cannot: `${file} cannot be read` }
  const before = applyPatch(after, reversePatch(patch), { autoConvertLineEndings: false })
  if (before === false) return { cannot: `the diff of ${file} does not fit the file` }
  const changedLines = patch.hunks.flatMap((hunk) => hunk.lines).filter((line) => /^[+-]/.test(line)).length
  return { file, before, after, changedLines }
}

const plainName = (name: string | undefined): string | null =>
  name === undefined || name === '/dev/null' ? null : name.replace(/^[ab]\//, '')

async function countByRule(
  sources: readonly Source[],
  rules: readonly Rule[],
  signal: AbortSignal,
): Promise<{ readonly counts: Counts } | { readonly cannot: string }> {
  const counts = new Map<string, number>()
  for (const [file, scan] of await scanSources(sources, rules, signal)) {
    if (scan.status === 'skipped') {
      if (scan.why === 'no rules for this kind of file') continue
      return { cannot: `${file}: ${scan.why}` }
    }
    for (const { rule } of scan.matches) counts.set(rule.id, (counts.get(rule.id) ?? 0) + 1)
  }
  return { counts }
}

const addsTrailingSpace = ({ before, after }: FileChange): boolean =>
  trailingSpaces(after) > trailingSpaces(before)

const trailingSpaces = (text: string): number => text.match(/[ \t]\r?$/gm)?.length ?? 0
