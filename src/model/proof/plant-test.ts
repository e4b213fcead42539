/** A test that is added for one run only: it loads what an existing test loads, and then fails in every way that tests fail. */
export interface PlantedTest {
  readonly path: string
  readonly text: string
  /** One for each way to fail: each must be among the failures of a run. */
  readonly titles: readonly string[]
}

export interface TestTemplate {
  readonly path: string
  readonly text: string
}

/**
 * A failing test in the place of an existing one, under its titles, so that code cannot tell it by its name; null where
 * nobody knows how its language writes tests. The key makes values that no code can know.
 */
export function plantTest(template: TestTemplate, key: string): PlantedTest | null {
  const language = languages.find(({ files }) => files.test(template.path))
  if (!language) return null
  const mark = key.slice(0, 8)
  const one = (Number.parseInt(key.slice(8, 13), 16) % 40) + 3
  const values: Values = [one, one + 1 + (Number.parseInt(key.slice(13, 18), 16) % 40)]
  const written = language.write(template.text, mark, values)
  return written && { path: template.path, ...written }
}

/** Two numbers that differ. */
type Values = readonly [number, number]
type Written = Pick<PlantedTest, 'text' | 'titles'>

interface Language {
  readonly files: RegExp
  readonly write: (template: string, mark: string, values: Values) => Written | null
}

const languages: readonly Language[] = [
  { files: /\.[cm]?[jt]sx?$/, write: writeJavaScript },
  { files: /\.py$/, write: writePython },
  { files: /_test\.go$/, write: writeGo },
]

/** As many titles as are needed: those of the template as they are, then the same with a number. */
function titlesLike(existing: readonly string[], count: number, joint: string): readonly string[] {
  const known = [...new Set(existing)]
  return Array.from({ length: count }, (_, index) => {
    const title = known[index % known.length] ?? ''
    const round = Math.floor(index / known.length)
    return round === 0 ? title : `${title}${joint}${round + 1}`
  })
}

/** Titles that stand in the template as plain text; one of our own where there are none. */
const plainTitles = (template: string, mark: string): readonly string[] => {
  const found = [...template.matchAll(/\b(?:test|it)(?:\.\w+)*\(\s*(['"`])([\w][\w ,.()=-]{0,60}\w)\1/g)]
  const titles = found.flatMap(([, , title]) => title ?? [])
  return titles.length > 0 ? titles : [`keeps ${mark}`]
}

/** Bounded, so that text which never closes them is not read over and over. */
const importStatement =
  /^import\s[^;'"]{0,2000}?['"][^'"\n]+['"][^\n]*$|^(?:const|let|var)\s+[^=;]{1,2000}=\s*require\([^\n]*$|^require\([^\n]*$/gm

/** The name of the function that loads modules; this file itself calls it nowhere. */
const requires = 'require'

/** What the template loads, the runner and the code under test included, so that nothing has to be guessed. */
function writeJavaScript(template: string, mark: string, values: Values): Written | null {
  const call = testCall(template)
  if (call === null) return null
  const imports = [...template.matchAll(importStatement)].map(([statement]) => statement)
  const isModule = imports.some((each) => each.startsWith('import'))
  const load = (name: string, module: string): string => {
    const quoted = `'${module}'`
    const words = isModule ? ['import', name, 'from', quoted] : ['const', name, '=', `${requires}(${quoted})`]
    return words.join(' ')
  }
  const ways = [`throw new Error('${mark}')`, ...expectWays(template, values), ...assertWays(mark, values)]
  const titles = titlesLike(plainTitles(template, mark), ways.length, ' ')
  const write = /['"](?:tape|ava)['"]/.test(template) ? failThroughContext : failByThrowing
  const tests = ways.map((way, index) => `${call}('${titles[index] ?? ''}', ${write(way)})`)
  const own = [load(`plain${mark}`, 'node:assert'), load(`strict${mark}`, 'node:assert/strict')]
  return { text: [...imports, ...own, ...tests, ''].join('\n'), titles }
}

const failByThrowing = (way: string): string => `async () => { ${way} }`

/** Some runners stop at a thrown error, but count a failure that is reported to their own context. */
const failThroughContext = (way: string): string =>
  `async (t) => { try { ${way} } catch (error) { t.fail(String(error)) } t.end?.() }`

/** The name under which the template starts a test. */
function testCall(template: string): string | null {
  return (
    /(?:^|[\s;{(])((?:(?!t\.)[\w$]+\.)?(?:test|it))(?:\.(?:only|each|concurrent))?\(/.exec(template)?.[1] ??
    null
  )
}

const assertWays = (mark: string, [one, other]: Values): readonly string[] =>
  [`plain${mark}`, `strict${mark}`].flatMap((assert) => [
    `${assert}(${one} === ${other})`,
    `${assert}.ok(${one} === ${other})`,
    `${assert}.equal(${one}, ${other})`,
    `${assert}.strictEqual(${one}, ${other})`,
    `${assert}.notEqual(${one}, ${one})`,
    `${assert}.deepEqual([${one}], [${other}])`,
    `${assert}.deepStrictEqual([${one}], [${other}])`,
    `${assert}.match('${one}', /^${other}$/)`,
    `${assert}.throws(() => ${one})`,
    `await ${assert}.rejects(Promise.resolve(${one}))`,
    `${assert}.fail('${one}')`,
  ])

function expectWays(template: string, [one, other]: Values): readonly string[] {
  if (!/\bexpect\(/.test(template)) return []
  if (/['"]chai['"]|\.to\.(?:be|equal|deep|eql|throw)/.test(template))
    return [
      `expect(${one}).to.equal(${other})`,
      `expect([${one}]).to.deep.equal([${other}])`,
      `expect(() => ${one}).to.throw()`,
    ]
  return [
    `expect(${one}).toBe(${other})`,
    `expect([${one}]).toEqual([${other}])`,
    `expect([${one}]).toStrictEqual([${other}])`,
    `expect(${one} === ${other}).toBeTruthy()`,
    `expect(() => ${one}).toThrow()`,
  ]
}

const pythonImport = /^(?:import|from)\s[^\n(]*(?:\([^)]{0,2000}\))?[^\n]*$|^sys\.path\.[^\n]*$/gm

function writePython(template: string, mark: string, [one, other]: Values): Written {
  const imports = [...template.matchAll(pythonImport)].map(([statement]) => statement)
  const isUnittest = /\bTestCase\b/.test(template)
  const ways = isUnittest
    ? [
        `raise RuntimeError("${mark}")`,
        `self.assertEqual(${one}, ${other})`,
        `self.assertTrue(${one} == ${other})`,
        `self.assertIn(${one}, [${other}])`,
        `self.assertRaises(ValueError, lambda: ${one})`,
        `self.fail("${one}")`,
      ]
    : [`raise RuntimeError("${mark}")`, `assert ${one} == ${other}`, `assert not ${one}`]
  const written = [...template.matchAll(/^\s*(?:async )?def (test\w*)\(/gm)].flatMap(([, name]) => name ?? [])
  const titles = titlesLike(written.length > 0 ? written : [`test_keeps_${mark}`], ways.length, '_')
  const indent = isUnittest ? '    ' : ''
  const tests = ways.map(
    (way, index) =>
      `${indent}def ${titles[index] ?? ''}(${isUnittest ? 'self' : ''}):\n${indent}    ${way}\n`,
  )
  const name = /^class (\w+)\(.*TestCase\b/m.exec(template)?.[1] ?? `TestKeeps${mark}`
  const head = isUnittest ? ['import unittest', `class ${name}(unittest.TestCase):`] : []
  return { text: [...imports, ...head, ...tests].join('\n'), titles }
}

function writeGo(template: string, mark: string): Written | null {
  const name = /^package\s+(\w+)/m.exec(template)?.[1]
  if (name === undefined) return null
  const title = /^func (Test\w+)\(\w+ \*testing\.T\)/m.exec(template)?.[1] ?? `TestKeeps${mark}`
  return {
    text: `package ${name}\n\nimport "testing"\n\nfunc ${title}(t *testing.T) { t.Fatal("${mark}") }\n`,
    titles: [title],
  }
}
