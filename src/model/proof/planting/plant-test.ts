import { alterExpectations } from './alter-expectations.ts'
import { replaceParts } from './replace-parts.ts'
import { invertExpectations, writeComparison, type InvertedTest } from './invert-expectations.ts'
import { writePython } from './plant-python.ts'
import { writePhpunit, writeRspec } from './plant-scripted.ts'
import { titlesLike, type Seed, type Values, type Written } from './written-test.ts'

/** A file of tests that is changed for one run only, so that its tests fail in every way that tests fail. */
export interface PlantedTest {
  readonly path: string
  readonly text: string
  /** Each must be among the failures of a run. */
  readonly titles: readonly string[]
  /** These too, unless they failed before anything was planted. */
  readonly unsure: readonly string[]
  /** Tests that fail when the values that another one compares are the same. */
  readonly inverted: readonly Pick<InvertedTest, 'title' | 'of'>[]
}

export interface TestTemplate {
  readonly path: string
  readonly text: string
}

/**
 * Failing tests in the place of an existing file of tests, under its titles, so that code cannot tell them by their
 * name; the best first, none where nobody knows how its language writes tests. The best has the file's own tests, which
 * call the code under test and expect something else. The key makes values that no code can know.
 */
export function plantTests(template: TestTemplate, key: string): readonly PlantedTest[] {
  const { path, text } = template
  const language = languages.find(({ files }) => files.test(path))
  if (!language) return []
  const one = (Number.parseInt(key.slice(8, 13), 16) % 40) + 3
  const seed: Seed = {
    mark: key.slice(0, 8),
    values: [one, one + 1 + (Number.parseInt(key.slice(13, 18), 16) % 40)],
  }
  const alone = language.write(text, seed, null)
  const own = language.dialect ? plantInOwn(template, { ...language, dialect: language.dialect }, seed) : null
  return [...(own ? [own] : []), ...(alone ? [{ path, ...alone, unsure: [], inverted: [] }] : [])]
}

/** The file's own tests, which expect something else, with inverted ones beside them and new ones behind them. */
function plantInOwn(
  { path, text }: TestTemplate,
  { dialect, write }: Language & Required<Pick<Language, 'dialect'>>,
  seed: Seed,
): PlantedTest | null {
  const altered = alterExpectations(text, { dialect, by: seed.values[0] })
  if (!altered) return null
  const names = { dialect, mark: seed.mark }
  const inverted = invertExpectations(text, { ...names, number: seed.values[0] + untaken })
  const beside = inverted.map((each) => ({ start: each.at, end: each.at, to: `\n${each.text}` }))
  const own = replaceParts(text, [...altered.edits, ...beside])
  const written = write(text, seed, inverted.length > 0 ? `${own}\n${writeComparison(path, names)}` : own)
  return (
    written && {
      path,
      text: written.text,
      titles: [...altered.titles, ...written.titles],
      unsure: altered.unsure,
      inverted,
    }
  )
}

/** Above the numbers that new titles get. */
const untaken = 100

interface Language {
  readonly files: RegExp
  readonly dialect?: 'javascript' | 'python'
  /** New tests that fail, behind the file's own where those are given. */
  readonly write: (template: string, seed: Seed, own: string | null) => Written | null
}

const languages: readonly Language[] = [
  { files: /\.[cm]?[jt]sx?$/, dialect: 'javascript', write: writeJavaScript },
  { files: /\.py$/, dialect: 'python', write: writePython },
  { files: /_test\.go$/, write: writeGo },
  { files: /_spec\.rb$/, write: writeRspec },
  { files: /Test\.php$/, write: writePhpunit },
]

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

/** Without the file's own tests: what it loads, the runner and the code under test included, so that nothing has to be guessed. */
function writeJavaScript(template: string, { mark, values }: Seed, own: string | null): Written | null {
  const call = testCall(template)
  if (call === null) return null
  const imports = [...template.matchAll(importStatement)].map(([statement]) => statement)
  const isModule = imports.some((each) => each.startsWith('import'))
  const load = (name: string, module: string): string => {
    const quoted = `'${module}'`
    const words = isModule ? ['import', name, 'from', quoted] : ['const', name, '=', `${requires}(${quoted})`]
    return words.join(' ')
  }
  const names = [`plain${mark}`, `strict${mark}`]
  const ways = [
    `throw new Error('${mark}')`,
    ...expectWays(template, values),
    ...names.flatMap((name) => assertWays(name, values)),
  ]
  const taken = { count: ways.length, joint: ' ', areTaken: own !== null }
  const titles = titlesLike(plainTitles(template, mark), taken)
  const write = /['"](?:tape|ava)['"]/.test(template) ? failThroughContext : failByThrowing
  const tests = ways.map((way, index) => `${call}('${titles[index] ?? ''}', ${write(way)})`)
  const loads = [load(names[0] ?? '', 'node:assert'), load(names[1] ?? '', 'node:assert/strict')]
  return { text: [...(own === null ? imports : [own]), ...loads, ...tests, ''].join('\n'), titles }
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

const assertWays = (assert: string, [one, other]: Values): readonly string[] => [
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
]

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
    ...otherMatchers
      .filter((matcher) => template.includes(`.${matcher}(`))
      .map((matcher) => `expect(${one}).${matcher}(${other})`),
  ]
}

/** They fail for one number and another, as far as they take them. */
const otherMatchers =
  'toBeNull toBeUndefined toBeNaN toBeFalsy toContain toContainEqual toHaveLength toMatch toMatchObject toHaveProperty toBeGreaterThan toBeInstanceOf'.split(
    ' ',
  )

function writeGo(template: string, { mark }: Seed): Written | null {
  const name = /^package\s+(\w+)/m.exec(template)?.[1]
  if (name === undefined) return null
  const title = /^func (Test\w+)\(\w+ \*testing\.T\)/m.exec(template)?.[1] ?? `TestKeeps${mark}`
  return {
    text: `package ${name}\n\nimport "testing"\n\nfunc ${title}(t *testing.T) { t.Fatal("${mark}") }\n`,
    titles: [title],
  }
}
