import { javascriptRules } from './catalogue/javascript.ts'
import { pythonRules } from './catalogue/python.ts'
import { ownRules } from './pack/index.ts'
import type { Rule } from './scan-sources.ts'

/** Every rule that is on without any setting. */
export const builtInRules: readonly Rule[] = [...javascriptRules, ...pythonRules, ...ownRules]
