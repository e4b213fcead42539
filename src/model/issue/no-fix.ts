import type { Issue } from './issue.ts'

/** What an issue says of its fix while there is none. It stands apart from the schema, which is slow to load. */
export const noFix = {
  fix_code: null,
  fix_explanation: null,
  fix_files_modified: [],
  fix_commit_sha: null,
  fix_branch: null,
  fix_session_id: null,
  fix_self_score: null,
  fix_challenger_score: null,
  evidence: null,
} as const satisfies Partial<Issue>
