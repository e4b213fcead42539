import { expect, test } from 'vitest'
import { afterTool, noTools, unusableEnding } from './tool-use.ts'

const after = (...texts: readonly (string | null)[]) =>
  unusableEnding(
    texts.reduce((use, text) => afterTool(use, { isError: text !== null, text: text ?? '' }), noTools),
  )

test.each([
  ['No suitable shell found. Claude CLI requires …', /^No suitable shell found/],
  ['```\nNo suitable shell found. More\n```', /^No suitable shell found\. More$/],
  ['Command failed: spawn bash ENOENT', /^spawn bash ENOENT$/],
  ['bwrap: execvp codex-linux-sandbox: No such file or directory', /^bwrap: execvp/],
])('a run whose tools could not be started is told by %j', (text, message) => {
  expect(after('1 test failed', text)).toMatchObject({
    kind: 'tools_unavailable',
    message: expect.stringMatching(message) as string,
  })
})

test('a run whose tools only failed, or of which one worked, has ended as it says', () => {
  expect(after()).toBeNull()
  expect(after('not ok 1 - says "No suitable shell found"')).toBeNull()
  expect(after('spawn bash ENOENT', null)).toBeNull()
})
