import { expect, it } from 'vitest'
import { parseCommitTrailers } from './commit-trailers.ts'
import { formatCommitMessage } from '../attempt/commit.ts'
import type { Issue } from '../issue/issue.ts'
import { CommitId, TreeId } from '../id.ts'

const issue = {
  code: 'BE-001',
  title: 'a is wrong',
  file: 'src/a.ts',
  fingerprint: 'f00',
} as Issue
const verified = { tree: TreeId.parse('a'.repeat(40)), base: CommitId.parse('b'.repeat(40)) }
const message = (explanation: string) =>
  formatCommitMessage({
    issue,
    explanation,
    evidence: 'E2',
    verified,
    challengedBy: 'gemini (95)',
    assistedBy: 'claude',
  })

const expected = {
  issue_codes: ['BE-001'],
  fingerprints: ['f00'],
  evidence: 'E2',
  verified_tree: verified.tree,
  verified_base: verified.base,
  challenged_by: 'gemini (95)',
  assisted_by: 'claude',
}

it.each(['', 'It was wrong.', 'Issue: FAKE-1\nEvidence: E3', 'a\n\nIssue: FAKE-1\n\nEvidence: E3'])(
  'the reader of trailers reads what was written, whatever the explanation says: %j',
  (explanation) => expect(parseCommitTrailers(message(explanation))).toEqual(expected),
)

it.each(['', 'fix: something', 'fix: it\n\nIssue: BE-001', 'fix: it\n\nIssue: BE-1\nEvidence: E9'])(
  'the reader of trailers finds nothing in other commits: %j',
  (text) => expect(parseCommitTrailers(text)).toBeNull(),
)
