import nodeAssert from 'node:assert'
import { syntaxLanguage } from '../syntax/outline.ts'
import { type Inspection, type TextChange, nothingSeen } from './tampering.ts'
import {
  type Occurrence,
  additions,
  findMatches,
  inNodes,
  lineAt,
  oncePerLine,
  showSigns,
} from './occurrences.ts'

const library = String.raw`['"](?:node:)?assert(?:/strict)?['"]`
/** Names that a text gives to the assertion library of Node when it loads it. */
const naming = new RegExp(
  [
    String.raw`\b(?:import|const|let|var)\s+(?:\*\s*as\s+)?([\w$]{1,80})\s*(?:,[^;'"\n]{0,200})?(?:from\s*|=[^;\n]{0,120}?)${library}`,
    String.raw`[{,]\s*(?:strict|default)\s*(?:as\s|:)\s*([\w$]{1,80})[^{}\n]{0,200}\}[^;\n]{0,120}?${library}`,
  ].join('|'),
  'g',
)

const anyOf = (names: Iterable<string>): string =>
  String.raw`(?:${[...names].join('|').replaceAll('$', String.raw`\$`)})(?![\w$])`

/** A name may be given on to another one, and so on. */
const mostSteps = 5

function namesOfLibrary(text: string): ReadonlySet<string> {
  const names = new Set(['assert', ...namesIn(text, naming)])
  for (let step = 0, size = 0; step < mostSteps && size < names.size; step += 1) {
    size = names.size
    const known = String.raw`(?<![\w$.])${anyOf(names)}(?:\s*\.\s*(?:strict|default))*\s*(?=[;,)\n]|$)`
    const given = String.raw`(?<![\w$.])([\w$]{1,80})\s*=\s*${known}`
    const taken = String.raw`[{,]\s*(?:(?:strict|default)\s*:\s*([\w$]{1,80})|(strict))\s*[,}][^=\n]{0,80}=\s*${known}`
    namesIn(text, new RegExp(`${given}|${taken}`, 'g')).forEach((name) => names.add(name))
  }
  return names
}

const namesIn = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].flatMap((found) => found.slice(1).filter(Boolean))

/** Ways to use the library: it is called, one of its functions is, functions are taken off it, or its error is asked for. */
const use = String.raw`\s*\(|\s*(?:\.\s*strict\s*)?\.\s*(?:[\w$]+\s*\(|AssertionError\b|[\w$]+(?=\s*[;,)\n]))|\s*\.\s*strict\s*(?=[;\n])`

/** Places where code holds or hands on the whole library, under which other names it then is changed. */
function handedOn(path: string, text: string): readonly Occurrence[] {
  const names = namesIn(text, naming)
  if (names.length === 0) return []
  const declared = text.replaceAll(naming, (each) => each.replaceAll(/[^\n]/g, ' '))
  const isQuoted = inNodes(text, syntaxLanguage(path), ['comment', 'string'])
  const whole = new RegExp(String.raw`(?<![\w$.])(?<!\}\s*=\s*)${anyOf(names)}(?!${use}|\s*:)`, 'g')
  return findMatches(declared, whole).filter(({ index }) => !isQuoted?.(index))
}

const puts = String.raw`\b(?:Object\.(?:assign|defineProperty|defineProperties)|Reflect\.(?:set|defineProperty)|setattr|mock\.method|spyOn|stub|patch\.object)\s*\(\s*`
/** Functions that are put under names of the library, whatever they are put into. */
const putFunctions = [
  String.raw`\.\s*(?:ok|fail|match)\s*=\s*(?:async\s*)?(?:function\b|\([^()\n]{0,80}\)\s*=>|[\w$]{1,80}\s*=>)`,
  String.raw`${puts}[\w$.]{1,80}\s*,\s*(?:['"](?:ok|fail|match)['"]|\{\s*(?:async\s*)?(?:ok|fail|match)\s*[:(])`,
]

/** Where something is put into a library of assertions, under the names that every test knows or that the text gives it. */
function replacing(text: string): RegExp {
  const names = ['expect', 'chai', 'should', 'TestCase', ...namesOfLibrary(text)]
  const any = String.raw`(?<![\w$])${anyOf(names)}(?:\s*\.\s*strict\b)*`
  return new RegExp(
    [
      String.raw`${any}\)?\s*(?:\.\s*[\w$]{1,80}|\[[^\]\n]{1,200}\])\s*=(?![=>])`,
      String.raw`${puts}(?:[\w$]{1,80}\s*\.\s*)?${any}`,
      ...(new RegExp(library).test(text) ? putFunctions : []),
    ].join('|'),
    'g',
  )
}

const program = String.raw`['"\x60][^'"\x60\n]{0,120}(?:src|lib|pkg|app|\.\.)/[^'"\x60\n]{0,120}\.(?:[cm]?[jt]sx?|py)['"\x60]`
/** Code read as text, by the path of its file or through its function. */
const readsCode = new RegExp(
  [
    String.raw`\b(?:readFile(?:Sync)?|open|read_text)\([^\n]{0,120}${program}`,
    String.raw`\bnew URL\(\s*${program}[^\n]{0,80}(?:readFile|utf-?8)`,
    String.raw`\binspect\.getsource(?:lines)?\(`,
    String.raw`\b\w+\.toString\(\)\s*\.\s*(?:includes|match|indexOf|startsWith|search)\(`,
  ].join('|'),
  'g',
)

/** Places where a test looks at the words of code, which tell nothing of what it does. */
export function inspectTextTests(before: string, after: string): Inspection {
  const found = withLines(after, added(before, after, readsCode))
  const says = 'a test looks at the text of code, not at what it does'
  return showSigns(after, found, { kind: 'assertion_loosened', says })
}

/** Places where a test, or what tests load, puts something else into the library that they assert with. */
export function inspectReplacedAssertions(before: string, after: string): Inspection {
  const says = 'what tests assert with was replaced'
  return showSigns(after, added(before, after, replacing(after)), { kind: 'assertion_loosened', says })
}

const builtin =
  '(?:AssertionError|process|console|Object|Array|String|Number|Boolean|Promise|Error|TypeError|Function|JSON|Math|Date|RegExp|Map|Set|Symbol|Reflect|Proxy)'
/** Words that programs use for much else; under the library's own name they are seen all the same. */
const common = new Set(['ok', 'fail', 'match', 'strict'])
const own = Object.keys(nodeAssert).filter((name) => !common.has(name))
const assertion = `(?:${own.join('|')}|toBe|toEqual|toStrictEqual)`
/** Anything that puts a value where another one was. */
const assigned = String.raw`\s*(?:\|\||&&|\?\?)?=(?![=>])`
const member = String.raw`\s*(?:\.\s*[\w$]+|\[[^\]\n]{1,120}\])`
const everywhere = String.raw`(?<![.\w$])(?:(?:globalThis|global)\s*\.\s*)?${builtin}(?:\s*\.\s*(?!env\b|exitCode\b|title\b|stackTraceLimit\b)[\w$]+${member}*|\[[^\]\n]{1,120}\]${member}*)`
const javascript = new RegExp(
  [
    // Where every other file sees it.
    `${everywhere}${assigned}`,
    String.raw`\[\s*${everywhere}[^\]\n]{0,120}\]\s*=(?![=>])|\bfor\s*\(\s*${everywhere}\s+(?:of|in)\b`,
    // A library of Node: other files get what is put there. Some of it is meant to be set.
    String.raw`(?<!['"\x60])\bnode:(?!events\.defaultMaxListeners)\w+${member}+${assigned}`,
    // What a value comes from, everywhere.
    String.raw`(?:\.\s*__proto__|\bgetPrototypeOf\([^;\n]{0,80}\)|\.\s*constructor\s*\.\s*prototype)${member}+${assigned}`,
    // The functions that put something into something, not called by their names.
    String.raw`\b(?:Object|Reflect)\s*(?:\?\.|\[\s*['"\x60])`,
    String.raw`\.\s*constructor\s*\(\s*['"\x60]`,
    String.raw`\b(?:Object\.(?:assign|definePropert(?:y|ies)|setPrototypeOf)|Reflect\.(?:set|defineProperty|setPrototypeOf))\(\s*(?:globalThis\s*\.\s*)?${builtin}(?:\.prototype)?\s*,`,
    String.raw`\b(?:stdout|stderr)\s*\.\s*_?write\w*\s*=(?![=>])`,
    String.raw`\bsyncBuiltinESMExports\b|\bModule\._\w+\s*=(?![=>])|\brequire\.(?:cache|extensions)\b`,
    String.raw`\bprocess\.(?:emit|dlopen)\(|\bsetFlagsFromString\(`,
    String.raw`\b(?:globalThis|global)\s*\.\s*${builtin}\s*=(?![=>])`,
    // Under whatever name the library was loaded, its functions keep theirs.
    String.raw`\.\s*${assertion}\s*=(?![=>])`,
    // Programs do not need the libraries of tests.
    String.raw`['"]node:(?:test(?:/\w+)?|inspector(?:/promises)?)['"]|\)\s*\(\s*['"](?:vitest|mocha|tape|ava|chai|expect|sinon|should|tap|uvu|@jest/[\w-]+|@vitest/[\w-]+|jest-[\w-]+)['"]`,
    String.raw`(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\(\s*)['"](?:node:test(?:/\w+)?|vitest|mocha|tape|ava|chai|expect|sinon|should|tap|uvu|@jest/[\w-]+|@vitest/[\w-]+|jest-[\w-]+|node:inspector(?:/promises)?)['"]`,
    String.raw`\bregister\(\s*['"\x60](?:data:|\.)`,
    // Names that runners define where every file sees them.
    String.raw`(?<![.\w$])expect\s*\.\s*(?:extend|addEqualityTesters|addSnapshotSerializer)\(`,
    String.raw`(?<![.\w$])(?:jest|vi)\s*\.\s*(?:spyOn|mock|doMock|fn|retryTimes|setMock|replaceProperty|isolateModules)\(`,
    String.raw`(?<![.\w$])(?:before|after)(?:Each|All)\(\s*(?:async\s*)?(?:function\b|\()`,
    String.raw`(?<=[\n;]\s*|\btry\s*\{\s*)(?:test|it|describe|expect)\s*=(?![=>])`,
    String.raw`\bSymbol\.for\(\s*['"][^'"\n]{0,20}(?:jest|vitest|mocha|chai)`,
    // Libraries ask a value that has this whether it is equal.
    String.raw`\basymmetricMatch\b`,
  ].join('|'),
  'g',
)
const python = new RegExp(
  [
    String.raw`^[ \t]*(?:import|from)[ \t]+(?:unittest|pytest|_pytest|nose2?|doctest)\b`,
    String.raw`\b(?:__import__|import_module|find_spec)\(\s*['"](?:unittest|pytest|_pytest|nose2?|doctest)\b`,
    String.raw`\b__subclasses__\(|\b__builtins__\b`,
    String.raw`\bsys\.(?:modules|meta_path|path_hooks|settrace|setprofile|monitoring|excepthook|unraisablehook)\b`,
    String.raw`\bsys\.(?:stdout|stderr|__stdout__|__stderr__)\s*=(?!=)`,
    String.raw`\bgc\.(?:get_objects|get_referrers|get_referents)\b|\bctypes\.pythonapi\b`,
    String.raw`\bbuiltins\.\w+\s*=(?!=)|\bsetattr\(\s*builtins\b`,
    String.raw`\bdef __eq__\([^()\n]{0,80}\)[^:\n]{0,20}:\s*return True\b`,
    String.raw`\.__code__\s*=(?!=)|\bco_(?:consts|code)\s*=`,
  ].join('|'),
  'gm',
)

/** Places where a program changes what every other file of the process uses, its tests and their runner among them. */
export function inspectTouchedJudge({ path, before, after }: TextChange): Inspection {
  const language = syntaxLanguage(path)
  if (!language) return nothingSeen
  const pattern = language === 'Python' ? python : javascript
  const found = [pattern, replacing(after)].flatMap((each) => added(before, after, each))
  if (language !== 'Python' && found.length === 0)
    found.push(...additions(handedOn(path, before), handedOn(path, after)))
  return showSigns(after, withLines(after, oncePerLine(after, found)), {
    kind: 'judge_touched',
    says: 'code reaches for what its tests run with',
  })
}

const added = (before: string, after: string, pattern: RegExp): readonly Occurrence[] =>
  additions(findMatches(before, pattern), findMatches(after, pattern))

/** The occurrences with the whole lines that they are in. */
const withLines = (source: string, found: readonly Occurrence[]): readonly Occurrence[] =>
  found.map((each) => ({ ...each, text: lineAt(source, each.index) }))
