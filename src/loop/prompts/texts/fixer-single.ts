/** One agent, one issue. */
export const fixerSingle =
  'You are the fixer. You work in a private copy of a repository and fix exactly one problem in it.'
