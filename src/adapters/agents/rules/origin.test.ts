import { expect, it } from 'vitest'
import type { Trees } from '../../../loop/ports.ts'
import type { CommitId, TreeId } from '../../../model/id.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import { createRulesOrigins } from './origin.ts'
import { builtInRules } from './built-in-rules.ts'

const revision = { commit: 'c'.repeat(40) as CommitId, tree: 'a'.repeat(40) as TreeId }
const issue = { rule: 'js/nan-comparison', file: 'a.js', flagged_by: ['rules'] } as unknown as Issue
const rule = builtInRules.find(({ id }) => id === 'eslint/use-isnan')

const ask = (files: Readonly<Record<string, string>>, about: Partial<Issue> = {}) => {
  const readMany: Trees['readMany'] = (_tree, paths) =>
    Promise.resolve(
      new Map(paths.flatMap((path) => (files[path] === undefined ? [] : [[path, Buffer.from(files[path])]]))),
    )
  const asked = { ...issue, rule: rule?.id ?? '', ...about }
  const where = { files: ['a.js', 'b.js', 'c.md'], signal: new AbortController().signal }
  return createRulesOrigins({ readMany } as Trees, builtInRules).ask(asked, revision, where)
}

it('the rules agent tells where a rule is loud, over all files that can hold it', async () => {
  expect(await ask({ 'a.js': 'x === NaN\n', 'b.js': '\ny === NaN\n', 'c.md': 'z === NaN' })).toMatchObject({
    found: [
      { rule: rule?.id, file: 'a.js', line: 1 },
      { rule: rule?.id, file: 'b.js', line: 2 },
    ],
  })
  expect(await ask({ 'a.js': 'Number.isNaN(x)\n' })).toEqual({ found: [] })
})
it('the rules agent tells of the other rules as well, so that what is new can be seen', async () => {
  const answer = await ask({ 'a.js': 'Number.isNaN(x)\ndebugger\n' })
  expect(answer && 'found' in answer && answer.found.map(({ line }) => line)).toEqual([2])
})
it('the rules agent does not take a file that is gone for a silent one', async () => {
  expect(await ask({ 'b.js': 'y\n' })).toEqual({ unanswered: 'a.js is not there any more' })
})
it('the rules agent does not take a file that cannot be read for a silent one', async () => {
  expect(await ask({ 'a.js': 'x\n', 'b.js': `const a = ${'1 + '.repeat(1_500)}1\n` })).toHaveProperty(
    'unanswered',
  )
})
it('the rules agent has nothing to say about what it did not raise', async () => {
  expect(await ask({ 'a.js': 'x\n' }, { flagged_by: ['eslint'] })).toBeNull()
})
it.each([
  '# ruff: disable[F401]\nimport os\n# ruff: enable[F401]\n',
  '# ruff:file-ignore[F401]\nimport os\n',
  'import os  # Ruff: ignore[F401]\n',
  'import os  # NOQA\n',
  '# compat\nimport os\n',
  '# Register your models here\nimport os\n',
  'import os\n# Create your views here\n',
])('the rules agent does not take a comment for a fix: %j', async (text) => {
  const readMany: Trees['readMany'] = () => Promise.resolve(new Map([['a.py', Buffer.from(text)]]))
  const where = { files: ['a.py'], signal: new AbortController().signal }
  const asked = { ...issue, rule: 'ruff/F401', file: 'a.py' }
  const answer = await createRulesOrigins({ readMany } as Trees, builtInRules).ask(asked, revision, where)
  expect(answer).toMatchObject({ found: [{ rule: 'ruff/F401' }] })
})
it.each([
  ['ruff/S113', 'import requests, sys\nsys.argv\ndef f(a):\n    return requests.get(a)\n'],
  ['ruff/F821', 'globals().update({})\nprint(gone)\n'],
  ['ruff/INT003', 'def _(a):\n    return a\nprint(_("no %s" % name))\n'],
])('the rules agent does not take a line elsewhere in the file for a fix: %s', async (id, text) => {
  const readMany: Trees['readMany'] = () => Promise.resolve(new Map([['a.py', Buffer.from(text)]]))
  const where = { files: ['a.py'], signal: new AbortController().signal }
  const asked = { ...issue, rule: id, file: 'a.py' }
  const answer = await createRulesOrigins({ readMany } as Trees, builtInRules).ask(asked, revision, where)
  expect(answer).toMatchObject({ found: expect.arrayContaining([expect.objectContaining({ rule: id })]) })
})
