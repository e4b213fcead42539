/** How hard to think, for models that take no number of tokens. */
export function effortFor(thinkingBudget: number): 'low' | 'medium' | 'high' | 'xhigh' {
  if (thinkingBudget < 4_000) return 'low'
  if (thinkingBudget < 16_000) return 'medium'
  return thinkingBudget <= 32_000 ? 'high' : 'xhigh'
}
