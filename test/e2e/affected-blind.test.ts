import { afterEach, expect, it } from 'vitest'
import { makeProject, oneProcess, type Project } from '../fixtures/project.ts'

const projects: Project[] = []
afterEach(async () => {
  for (const project of projects.splice(0)) await project.close()
})

const moduleOf = (word: string): string => `export const word = '${word}'\n`

/** How a file comes to count without an import that anybody could follow, and the test that then sees it. */
const ways: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  composed: {
    'test/composed.test.mjs': `const name = ['com', 'posed'].join('')
const { word } = await import(\`../src/\${name}.mjs\`)
test('composed', () => assert.equal(word, 'fine'))`,
  },
  listed: {
    'plugins.txt': 'listed\n',
    'src/load-plugins.mjs': `import { readFileSync } from 'node:fs'
const names = readFileSync(new URL('../plugins.txt', import.meta.url), 'utf8').trim().split('\\n')
export const plugins = await Promise.all(names.map((name) => import(new URL(name + '.mjs', import.meta.url).href)))
`,
    'test/listed.test.mjs': `import { plugins } from '../src/load-plugins.mjs'
test('listed', () => assert.deepEqual(plugins.map(({ word }) => word), ['fine']))`,
  },
  generated: {
    'tools/generate.mjs': `import { readFileSync } from 'node:fs'
process.stdout.write(/'(.*)'/.exec(readFileSync('src/generated.mjs', 'utf8'))[1])
`,
    'test/generated.test.mjs': `import { execFileSync } from 'node:child_process'
test('generated', () => assert.equal(execFileSync(process.execPath, ['tools/generate.mjs'], { encoding: 'utf8' }), 'fine'))`,
  },
  snapped: {
    'test/__snapshots__/snapped.txt': "export const word = 'fine'\n",
    'test/snapped.test.mjs': `import { readFileSync } from 'node:fs'
test('snapped', () => assert.equal(readFileSync('src/snapped.mjs', 'utf8'), readFileSync('test/__snapshots__/snapped.txt', 'utf8')))`,
  },
  worked: {
    'src/run-worker.mjs': `import { Worker } from 'node:worker_threads'
export const ask = () => new Promise((done) => new Worker(new URL('./worked.mjs', import.meta.url)).once('message', done))
`,
    'test/worked.test.mjs': `import { ask } from '../src/run-worker.mjs'
test('worked', async () => assert.equal(await ask(), 'fine'))`,
  },
  exported: {
    'test/exported.test.mjs': `import { word } from 'project/exported'
test('exported', () => assert.equal(word, 'fine'))`,
  },
  barrelled: {
    'src/barrel.mjs': "export * from './half.mjs'\n",
    'src/half.mjs': "export * from './barrelled.mjs'\n",
    'test/barrelled.test.mjs': `import * as all from '../src/barrel.mjs'
test('barrelled', () => assert.equal(all.word, 'fine'))`,
  },
}

const names = Object.keys(ways)
const head = "import test from 'node:test'\nimport assert from 'node:assert/strict'\n"
const withHead = (files: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => [
      path,
      path.endsWith('.test.mjs') ? `${head}${text}\n` : text,
    ]),
  )
const directTest = (name: string): string =>
  `${head}import { word } from '../src/${name}.mjs'\ntest('${name} is a word', () => assert.ok(word.length > 0))\n`

const files = {
  'package.json': JSON.stringify({
    name: 'project',
    type: 'module',
    exports: { './exported': './src/exported.mjs' },
  }),
  ...Object.fromEntries([...names, 'good'].map((name) => [`src/${name}.mjs`, moduleOf('fine')])),
  'src/worked.mjs': `import { parentPort } from 'node:worker_threads'\n${moduleOf('fine')}parentPort?.postMessage(word)\n`,
  ...Object.fromEntries([...names, 'good'].map((name) => [`test/${name}-direct.test.mjs`, directTest(name)])),
  ...Object.assign({}, ...Object.values(ways).map(withHead)),
}

it('what no import leads to is seen before it lands: no wrong fix lands under verify.strategy: affected', async () => {
  const p = await makeProject({
    files,
    fixer: "edit(issue.file, 'fine', issue.file === 'src/good.mjs' ? 'finer' : 'broken'); return {}",
    verify: oneProcess,
    config: 'fix: { max_rounds: 1, concurrency: 2 }\nchallenge: { enabled: false }',
    verifyStrategy: 'affected',
  })
  projects.push(p)
  await p.import(
    [...names, 'good'].map((name) => ({
      file: `src/${name}.mjs`,
      line: name === 'worked' ? 2 : 1,
      title: name,
      severity: 'minor',
      rule: name,
    })),
  )
  const { result } = await p.fix()
  const refusalOf = (name: string) =>
    result.results.find(({ file }) => file === `src/${name}.mjs`)?.rounds[0]?.refusal
  for (const name of ['listed', 'generated', 'snapped', 'worked'])
    expect(refusalOf(name)).toMatch(/^landing: red once all tests run: test: exit 1/)
  // Tests that put names together run for every change, and exports and barrels are followed.
  for (const name of ['composed', 'exported', 'barrelled'])
    expect(refusalOf(name)).toMatch(/^verification: test: exit 1/)
  expect(result.results.filter(({ outcome }) => outcome === 'fixed').map(({ file }) => file)).toEqual([
    'src/good.mjs',
  ])
  expect(p.git('diff', '--name-only', 'main', result.branch_name ?? '').trim()).toBe('src/good.mjs')
  const note: unknown = JSON.parse(p.git('notes', '--ref=fixpoint', 'show', result.branch_name ?? ''))
  expect(note).toMatchObject({ commands: [{ name: 'test', run: oneProcess, status: 'passed' }] })
})
