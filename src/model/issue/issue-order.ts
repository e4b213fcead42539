/** What lists of issues can be sorted by; highest priority first without one. */
export const issueSorts = [
  'priority',
  'severity',
  'status',
  'title',
  'code',
  'file',
  'rule',
  'created',
] as const
export type IssueSort = (typeof issueSorts)[number]

/** The properties whose values are counted beside a list. */
export const issueFacets = ['status', 'severity', 'class', 'rule', 'tool', 'source', 'folder', 'age'] as const
export type IssueFacet = (typeof issueFacets)[number]

/** What lists of issues can be grouped by. */
export const issueGroupings = ['rule', 'file', 'folder'] as const
export type IssueGrouping = (typeof issueGroupings)[number]
