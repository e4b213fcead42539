import { expect, it } from 'vitest'
import type { Revision } from '../../model/attempt/attempt.ts'
import type { SessionId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { followFixes } from './follow-fixes.ts'

type Ports = Parameters<typeof followFixes>[1]

const base = { commit: 'b0', tree: 't0' } as Revision

/** Sessions of one fix each, all begun on the same base, and the git ports that write down what they are asked. */
function scene(count: number, tip: Revision, clone: string | null = 'clone') {
  const asked: string[] = []
  const names = Array.from({ length: count }, (_, at) => `fix/${at}`)
  const issues = names.map(
    (name, at) =>
      ({
        id: `iss_${at}`,
        status: 'resolved',
        fix_commit_sha: `c${at}`,
        fix_branch: name,
        fix_session_id: `ses_${at}`,
      }) as Issue,
  )
  const session = (at: number) => ({
    id: `ses_${at}`,
    base_branch: 'refs/heads/main',
    branch: names[at],
    branch_made: true,
    base,
    tip: { commit: `c${at}`, tree: `t${at}` },
    clone: 'clone',
  })
  const ports = {
    issues: { list: async () => ({ issues, nextCursor: null }) },
    sessions: {
      load: async (id: SessionId) => ({ session: session(Number(id.slice('ses_'.length))), attempts: [] }),
      list: async () => names.map((_, at) => session(at)),
    },
    trees: {
      resolve: async (name: string) => (asked.push(`resolve ${name}`), tip),
      holdsChange: async () => false,
      isReached: async (commit: string) => (asked.push(`reached ${commit}`), false),
    },
    branches: {
      names: async () => (asked.push('names'), new Set(names.slice(1))),
      hold: async (commit: string) => (asked.push(`hold ${commit}`), false),
    },
  } as unknown as Ports
  const request = { repositoryId: 'rep_1', revision: tip, clone } as Parameters<typeof followFixes>[0]
  return { asked, run: () => followFixes(request, ports) }
}

it('asks git for branches and base branches once, however many fixes there are', async () => {
  const { asked, run } = scene(50, base)
  const { discarded, ahead } = await run()
  expect(asked).toEqual(['resolve refs/heads/main', 'names', 'hold c0'])
  expect([...discarded]).toEqual(['iss_0'])
  expect(ahead.size).toBe(50)
})

it('asks whether a session holds the present revision only where that is not its base', async () => {
  const { asked, run } = scene(2, { commit: 'b1', tree: 't1' } as Revision)
  expect((await run()).ahead.size).toBe(0)
  expect(asked.filter((what) => what.startsWith('reached'))).toEqual(['reached b1', 'reached b1'])
})

it('takes no fix for discarded where another machine may have its branch', async () => {
  const { asked, run } = scene(2, base, null)
  expect((await run()).discarded.size).toBe(0)
  expect(asked).toEqual(['resolve refs/heads/main'])
})
