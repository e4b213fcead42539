import { javascriptRules } from './catalogue/javascript.ts'
import { pythonRules } from './catalogue/python.ts'
import { ownRules } from './pack/index.ts'
import type { Rule } from './scan-sources.ts'

/** Every rule that ships with Fixpoint; the optional ones are on where a setting asks for them. */
export const builtInRules: readonly Rule[] = [...javascriptRules, ...pythonRules, ...ownRules]

/** The rules that are on without any setting. */
export const defaultRules: readonly Rule[] = builtInRules.filter(({ isOptional }) => !isOptional)
