import { describe, expect, it } from 'vitest'
import { processorMs } from '../../../../test/fixtures/processor-time.ts'
import { Fault } from '../../../model/fault.ts'
import { applyEdits } from './engine/edits.ts'
import { scanPatterns } from './engine/scan.ts'
import { parseUserRules } from './user-rules.ts'

const noConsole = `id: no-console
language: TypeScript
message: Use the logger.
note: Console output is lost in production.
severity: warning
url: https://example.org/logging
rule:
  pattern: console.$METHOD($$$ARGS)
constraints:
  METHOD:
    regex: ^(log|debug)$
fix: logger.$METHOD($$$ARGS)
`

function faultOf(text: string): Fault {
  try {
    parseUserRules(text, 'rules/own.yml')
  } catch (error) {
    if (error instanceof Fault) return error
  }
  throw new Error('nothing was refused')
}

const problemsOf = (text: string): unknown => faultOf(text).details['problems']

describe('parseUserRules', () => {
  it('reads several rules of one file and prefixes their ids', () => {
    const rules = parseUserRules(
      `${noConsole}---\nid: a/b\nlanguage: py\nrule: { pattern: print($A) }\n---\n`,
      'own.yml',
    )
    expect(rules).toEqual([
      {
        id: 'user/no-console',
        languages: ['TypeScript'],
        severity: 'minor',
        category: 'custom',
        title: 'Use the logger.',
        message: 'Use the logger.',
        why: 'Console output is lost in production.',
        effort: 1,
        references: ['https://example.org/logging'],
        query: {
          rule: { pattern: 'console.$METHOD($$$ARGS)' },
          constraints: { METHOD: { regex: '^(log|debug)$' } },
        },
        fix: 'logger.$METHOD($$$ARGS)',
      },
      {
        id: 'user/a/b',
        languages: ['Python'],
        severity: 'info',
        category: 'custom',
        title: 'a/b',
        message: 'a/b',
        why: 'A rule of this project asks for it.',
        effort: 2,
        query: { rule: { pattern: 'print($A)' } },
      },
    ])
  })

  it('runs a rule with its constraints and its fix template', () => {
    const source = "console.log('a', /* b */ [1, 2])\nconsole.error(1)\n"
    const scan = scanPatterns(source, 'TypeScript', parseUserRules(noConsole, 'own.yml'))
    const matches = scan.status === 'reviewed' ? scan.matches : []
    expect(matches.map(({ line, suggestion }) => ({ line, suggestion }))).toEqual([
      { line: 1, suggestion: "logger.log('a', /* b */ [1, 2])" },
    ])
    expect(applyEdits(source, matches[0]?.edits ?? [])).toBe(
      "logger.log('a', /* b */ [1, 2])\nconsole.error(1)\n",
    )
  })

  it('indents the further lines of a fix like the match', () => {
    const [rule] = parseUserRules(
      'id: x\nlanguage: py\nrule: { pattern: check($A) }\nfix: |-\n  if $A:\n      stop()\n',
      'own.yml',
    )
    const source = 'def f():\r\n    check(b)\r\n'
    const scan = scanPatterns(source, 'Python', rule ? [rule] : [])
    const edits = scan.status === 'reviewed' ? scan.matches[0]?.edits : null
    expect(applyEdits(source, edits ?? [])).toBe('def f():\r\n    if b:\r\n        stop()\r\n')
  })

  it('leaves out a rule that is switched off', () => {
    expect(parseUserRules(noConsole.replace('warning', '"off"'), 'own.yml')).toEqual([])
  })

  it('names every problem with its line, all at once', () => {
    const text =
      'id: a b\nlanguage: ruby\nrule: none\nseverity: high\n---\nid: c\nlanguage: js\nrule: { kind: nope }\n'
    expect(problemsOf(text)).toEqual([
      { line: 1, problem: 'id: may hold letters, digits, and . _ / - only' },
      { line: 2, problem: 'language: must be javascript, typescript, tsx or python' },
      { line: 3, problem: 'rule: must be a mapping such as { pattern: … }' },
      { line: 4, problem: expect.stringContaining('severity: ') },
      { line: 8, problem: expect.stringContaining('Kind `nope` is invalid') },
    ])
    expect(faultOf(text).message).toContain('rules/own.yml:2: language')
    expect(faultOf(text).hint).toContain('id, language')
  })

  it.each([
    ['text that is no YAML', 'id: [a\nlanguage: js\n', 2, ''],
    ['a document that is no mapping', '- a\n', 1, 'mapping'],
    ['a missing key', 'id: a\nlanguage: js\n', 1, 'rule: '],
    ['an unknown key', `${noConsole}fixx: a\n`, 1, 'fixx'],
    ['a key that would change the meaning', `${noConsole}transform: { A: {} }\n`, 13, 'not supported'],
    [
      'a variable that the rule does not capture',
      noConsole.replace('logger.$METHOD', 'logger.$OTHER'),
      12,
      '$OTHER',
    ],
    ['an alias without an anchor', 'id: a\nlanguage: js\nrule: *other\n', 1, 'aliases'],
    ['an id that is taken', `${noConsole}---\n${noConsole}`, 14, 'taken'],
    ['a misspelt part of the rule', 'id: a\nlanguage: js\nrule:\n  patern: b\n', 4, 'patern'],
  ])('refuses %s', (_, text, line, problem) => {
    expect(problemsOf(text)).toContainEqual({ line, problem: expect.stringContaining(problem) })
  })
})

describe('a hostile rule file', () => {
  const ruleWith = (rule: string): string => `id: x\nlanguage: js\nrule: ${rule}\n`

  it('cannot make a regular expression take time without end', async () => {
    const rules = parseUserRules(ruleWith(`{ kind: string, regex: '^"(a+)+(a|aa)*$' }`), 'own.yml')
    const content = `x("${'a'.repeat(100_000)}!")\n`
    const took = await processorMs(() => scanPatterns(content, 'JavaScript', rules))
    expect(took).toBeLessThan(2_000)
  })

  it.each([
    ['a regular expression that unfolds into gigabytes', ruleWith(`{ regex: '((a{1000}){1000}){1000}' }`)],
    ['an expression that looks back, as only slow engines do', ruleWith(`{ regex: '(a)\\1' }`)],
    [
      'aliases that unfold without end',
      `a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]\n${'bcdefghi'
        .split('')
        .map((name, index) => `${name}: &${name} [${`*${'abcdefgh'[index]}, `.repeat(9)}]\n`)
        .join('')}`,
    ],
    ['a tag that would make an object of some class', ruleWith('!!js/function "() => process.exit(3)"')],
  ])('is refused with %s', async (_, text) => {
    let fault: Fault | null = null
    const took = await processorMs(() => (fault = faultOf(text)))
    expect(fault).toMatchObject({ code: 'config_invalid' })
    expect(took).toBeLessThan(2_000)
  })
})
