import type { PatternRule } from '../engine/rule.ts'
import { javascriptErrorRules } from './javascript/errors.ts'
import { javascriptSecurityRules } from './javascript/security.ts'
import { javascriptValueRules } from './javascript/values.ts'
import { pythonSecurityRules } from './python/security.ts'
import { pythonValueRules } from './python/values.ts'

/** Rules that no linter has, or has without a fix. */
export const ownRules: readonly PatternRule[] = [
  ...javascriptValueRules,
  ...javascriptErrorRules,
  ...javascriptSecurityRules,
  ...pythonValueRules,
  ...pythonSecurityRules,
]
