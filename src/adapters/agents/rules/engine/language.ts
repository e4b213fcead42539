import python from '@ast-grep/lang-python'
import { parse, registerDynamicLanguage } from '@ast-grep/napi'
import { byExtensionOf } from '../../../../model/programming-language.ts'
import type { Node, RuleLanguage } from './rule.ts'

/** What the js/ rules apply to. */
export const javascriptFamily = ['JavaScript', 'TypeScript', 'Tsx'] as const satisfies RuleLanguage[]

const byExtension: Readonly<Record<string, RuleLanguage>> = {
  js: 'JavaScript',
  mjs: 'JavaScript',
  cjs: 'JavaScript',
  jsx: 'JavaScript',
  ts: 'TypeScript',
  mts: 'TypeScript',
  cts: 'TypeScript',
  tsx: 'Tsx',
  py: 'Python',
  pyi: 'Python',
}

/** The language whose rules apply to a file, by its extension. */
export const languageOf = (path: string): RuleLanguage | null => byExtensionOf(path, byExtension)

let pythonIsRegistered = false

/** The syntax tree's root; offsets in it are JavaScript string offsets. */
export function parseSource(source: string, language: RuleLanguage): Node {
  if (language === 'Python' && !pythonIsRegistered) {
    registerDynamicLanguage({ Python: python })
    pythonIsRegistered = true
  }
  return parse(language, source).root()
}
