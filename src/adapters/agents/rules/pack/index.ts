import type { TreeRule } from '../engine/rule.ts'
import { errorRules } from './errors.ts'
import { securityRules } from './security.ts'
import { valueRules } from './values.ts'

/** Rules that no linter has, or has without a fix. */
export const ownRules: readonly TreeRule[] = [...valueRules, ...errorRules, ...securityRules]
