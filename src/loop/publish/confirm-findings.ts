import type { WrittenFinding } from '../../model/issue/finding.ts'
import { readReviewerAnswer } from '../../model/issue/reviewer-answer.ts'
import {
  isSamePlace,
  mayBlock,
  votedFinding,
  type BlockingFinding,
  type Vote,
  type VotedFinding,
} from '../../model/forge/vote.ts'
import { judgeVerification } from '../../model/proof/judge-verification.ts'
import type { CheckCommand } from '../../model/proof/verification.ts'
import { agentTask } from '../agent-task.ts'
import { own } from '../own-text.ts'
import type { Ports, RoleAgent } from '../ports.ts'
import { treeFiles } from '../tree-files.ts'
import type { PullChange } from './ask-voter.ts'

export interface ConfirmRequest {
  readonly change: PullChange
  readonly votes: readonly Vote[]
  /** The built-in rules, where they are among the voters: they have no vote, and their findings are facts. */
  readonly rules: RoleAgent | null
  readonly commands: readonly CheckCommand[]
  readonly signal: AbortSignal
}

type ConfirmPorts = Pick<Ports, 'trees' | 'checks' | 'scanners'>

interface ToolFinding {
  readonly tool: string
  readonly finding: VotedFinding
}

export interface Confirmed {
  readonly blocking: readonly BlockingFinding[]
  /** What tools found in the changed files that is not on the base, whatever its severity. */
  readonly toolFindings: readonly ToolFinding[]
  /** The tools that could not be asked, and why. */
  readonly unasked: readonly string[]
}

/** Which findings are more than an opinion: confirmed by a check, a scanner or a rule that was green on the base. */
export async function confirmFindings(request: ConfirmRequest, ports: ConfirmPorts): Promise<Confirmed> {
  const { change, votes } = request
  const unasked: string[] = []
  const found = [
    ...(request.rules ? await newRuleFindings(request.rules, request, ports) : []),
    ...(change.isForeign ? [] : await newScannerFindings(request, ports, unasked)),
  ]
  if (change.isForeign)
    unasked.push('checks and scanners did not run: the change comes from another repository')
  const failed = change.isForeign ? [] : await failedChecks(request, ports, unasked)
  const opinions = votes.flatMap((vote) =>
    vote.findings.filter(mayBlock).map((finding) => ({ vote, finding })),
  )
  const blocking = [
    ...failed,
    ...opinions.flatMap(({ vote, finding }) => {
      const tool = found.find((one) => isSamePlace(one.finding, finding))
      return tool
        ? [{ ...finding, raised_by: vote.agent, confirmed_by: `${tool.tool}: ${tool.finding.title}` }]
        : []
    }),
    ...found
      .filter(({ finding }) => mayBlock(finding))
      .map(({ tool, finding }) => ({ ...finding, raised_by: tool, confirmed_by: tool })),
  ]
  return { blocking: withoutTwins(blocking), toolFindings: found, unasked }
}

/** One entry per place and check. */
const withoutTwins = (blocking: readonly BlockingFinding[]): readonly BlockingFinding[] =>
  blocking.filter(
    (one, index) =>
      !blocking
        .slice(0, index)
        .some((earlier) => isSamePlace(earlier, one) || (one.file === null && earlier.title === one.title)),
  )

async function failedChecks(
  { change, commands, signal }: ConfirmRequest,
  { checks }: ConfirmPorts,
  unasked: string[],
): Promise<readonly BlockingFinding[]> {
  if (commands.length === 0) return []
  const base = await checks.run({ commands, revision: change.base, signal, isFirstLook: true })
  const head = await checks.run({ commands, revision: change.head, signal, isFirstLook: true })
  const { commands: judged } = judgeVerification(change.head.tree, head, { runs: base })
  unasked.push(
    ...judged
      .filter(({ status }) => status === 'not_evaluated')
      .map(({ name, reason }) => `${name}: ${reason}`),
  )
  return judged
    .filter(({ status }) => status === 'failed')
    .map(({ name, reason, output }) => ({
      title: `the check "${name}" fails`,
      description: `${reason}\n\n${output.slice(-1_000)}`,
      severity: 'major' as const,
      category: 'correctness',
      file: null,
      line: null,
      end_line: null,
      rule: null,
      replacement: null,
      raised_by: name,
      confirmed_by: `${name}: green on the base, red here`,
    }))
}

async function newScannerFindings(
  { change, signal }: ConfirmRequest,
  { scanners }: ConfirmPorts,
  unasked: string[],
): Promise<readonly ToolFinding[]> {
  const found: ToolFinding[] = []
  for (const name of scanners.names) {
    const [before, after] = [
      await scanners.scan(name, change.base, signal),
      await scanners.scan(name, change.head, signal),
    ]
    if ('failed' in before || 'failed' in after)
      unasked.push(`${name}: ${'failed' in after ? after.failed : 'failed' in before ? before.failed : ''}`)
    else
      found.push(
        ...newIn(before.findings, after.findings, change).map((finding) => ({
          tool: name,
          finding: votedFinding(finding),
        })),
      )
  }
  return found
}

async function newRuleFindings(
  { agent, timeoutMs }: RoleAgent,
  { change, signal }: ConfirmRequest,
  { trees }: ConfirmPorts,
): Promise<readonly ToolFinding[]> {
  const read = async ({ tree }: PullChange['head']): Promise<readonly WrittenFinding[]> => {
    const task = agentTask({
      role: 'reviewer',
      access: 'read',
      round: 1,
      issues: [],
      review: { paths: change.files, base: null, spec: null },
      workspace: '',
      output_schema: null,
    })
    const files = treeFiles(trees, tree)
    const run = await agent.run({ task, prompt: own``, timeoutMs, signal, onUpdate: () => undefined, files })
    const source = { kind: 'rules', name: agent.name } as const
    const answer = readReviewerAnswer(run.text, { source, root: '' })
    return 'unreadable' in answer ? [] : answer.findings
  }
  const [before, after] = [await read(change.base), await read(change.head)]
  return newIn(before, after, change).map((finding) => ({ tool: agent.name, finding: votedFinding(finding) }))
}

/** Findings in changed files that the base does not have as often: lines move, so they are counted by rule and title. */
function newIn(
  before: readonly WrittenFinding[],
  after: readonly WrittenFinding[],
  { files }: PullChange,
): readonly WrittenFinding[] {
  const keyOf = ({ file, rule, title }: WrittenFinding): string => `${file}\0${rule}\0${title}`
  const known = new Map<string, number>()
  for (const finding of before) known.set(keyOf(finding), (known.get(keyOf(finding)) ?? 0) + 1)
  return after.filter((finding) => {
    if (finding.file === null || !files.includes(finding.file)) return false
    const left = known.get(keyOf(finding)) ?? 0
    known.set(keyOf(finding), left - 1)
    return left <= 0
  })
}
