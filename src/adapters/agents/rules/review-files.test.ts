import { expect, it } from 'vitest'
import { codeFiles } from '../../../../test/fixtures/code-files.ts'
import { builtInRules } from './built-in-rules.ts'
import { createRulesAgent } from './index.ts'
import { reviewFiles } from './review-files.ts'

const { signal } = new AbortController()

it('the rules agent says which files it cannot read, and leaves out packages that somebody committed', async () => {
  const { list, read } = codeFiles({
    'a.py': 'x = 1\n',
    'gone.py': 'x = 1\n',
    'latin.py': Buffer.from('# \xe9\n', 'latin1'),
    'node_modules/b/b.js': 'f(a === NaN)\n',
  })
  const files = { list, read: (paths: readonly string[]) => read(paths.filter((path) => path !== 'gone.py')) }
  const { coverage } = await reviewFiles({ files, paths: [], exclude: [] }, builtInRules, signal)
  expect(coverage).toMatchObject({ reviewed: ['a.py'], partly: [] })
  expect(coverage.aside).toEqual([
    { file: 'node_modules/b/b.js', why: 'not asked for: an installed package' },
  ])
  expect(coverage.skipped).toEqual([
    { file: 'gone.py', why: 'it cannot be read' },
    { file: 'latin.py', why: 'not UTF-8 text: it has bytes that cannot be written back as they were' },
  ])
})

it('the rules agent leaves out a folder of copied packages, and reads it where somebody asks for it', async () => {
  const files = codeFiles({
    'a.py': '',
    'lib/own.py': '',
    'lib/six.py': '',
    'lib/pytz/b.py': '',
    'lib/zipp.py': '',
  })
  const review = async (paths: readonly string[]) =>
    (await reviewFiles({ files, paths, exclude: [] }, [], signal)).coverage
  const copied = ['lib/own.py', 'lib/pytz/b.py', 'lib/six.py', 'lib/zipp.py']
  expect(await review([])).toMatchObject({
    reviewed: ['a.py'],
    aside: copied.map((file) => ({ file, why: 'not asked for: the code of somebody else' })),
  })
  expect(await review(['lib'])).toMatchObject({ reviewed: copied, aside: [] })
})

it('the rules agent reads more files than it looks at together, each once', async () => {
  const names = Array.from({ length: 1_600 }, (_, index) => `a${`${index}`.padStart(4, '0')}.py`)
  const { list, read } = codeFiles(Object.fromEntries(names.map((name) => [name, 'x = 1\n'])))
  const asked: number[] = []
  const files = {
    list,
    read: (paths: readonly string[]) => {
      asked.push(paths.length)
      return read(paths)
    },
  }
  const { coverage } = await reviewFiles({ files, paths: [], exclude: [] }, [], signal)
  expect(coverage.reviewed).toEqual(names)
  expect(asked).toEqual([500, 1_000, 100])
})

it('the rules agent that is given no files answers nothing, instead of finding nothing', async () => {
  const task = { role: 'reviewer', workspace: '' } as never
  const run = await createRulesAgent(builtInRules).run({ task, signal } as never)
  expect(run).toMatchObject({ text: '', ending: { ended: 'failed', message: 'it was given no files' } })
})
