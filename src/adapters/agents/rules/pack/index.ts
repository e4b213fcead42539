import type { Rule } from '../engine/rule.ts'
import { javascriptArrayRules } from './javascript/arrays.ts'
import { javascriptComparisonRules } from './javascript/comparison.ts'
import { javascriptErrorRules } from './javascript/errors.ts'
import { javascriptFlowRules } from './javascript/flow.ts'
import { javascriptInjectionRules } from './javascript/injection.ts'
import { javascriptObjectRules } from './javascript/objects.ts'
import { javascriptSecurityRules } from './javascript/security.ts'
import { pythonErrorRules } from './python/errors.ts'
import { pythonInjectionRules } from './python/injection.ts'
import { pythonLoopRules } from './python/loops.ts'
import { pythonSecurityRules } from './python/security.ts'
import { pythonValueRules } from './python/values.ts'

/** Every rule that Fixpoint brings along. */
export const builtInRules: readonly Rule[] = [
  ...javascriptComparisonRules,
  ...javascriptArrayRules,
  ...javascriptObjectRules,
  ...javascriptFlowRules,
  ...javascriptErrorRules,
  ...javascriptInjectionRules,
  ...javascriptSecurityRules,
  ...pythonValueRules,
  ...pythonLoopRules,
  ...pythonErrorRules,
  ...pythonInjectionRules,
  ...pythonSecurityRules,
]
