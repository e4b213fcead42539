import { expect, test } from 'vitest'
import { readCommentCommand } from './comment-command.ts'

test.each([
  ['/fixpoint', { name: 'help' }],
  ['  /fixpoint help  ', { name: 'help' }],
  ['/fixpoint REVIEW\nthanks', { name: 'review' }],
  ['/fixpoint fix', { name: 'fix', codes: [], all: false }],
  ['/fixpoint fix all', { name: 'fix', codes: [], all: true }],
  ['/fixpoint fix be-1 BE-2 be-1\r\nplease', { name: 'fix', codes: ['BE-1', 'BE-2'], all: false }],
  ['/fixpoint approve be-1', { name: 'approve', code: 'BE-1' }],
  ['/fixpoint reject BE-1 too wide', { name: 'reject', code: 'BE-1', reason: 'too wide' }],
  ['/fixpoint reject BE-1', { name: 'reject', code: 'BE-1', reason: 'rejected in the pull request' }],
  ['/fixpoint ignore BE-1 we know', { name: 'ignore', code: 'BE-1', reason: 'we know' }],
])('%j is read', (body, command) => {
  expect(readCommentCommand(body)).toEqual(command)
})

test.each([
  '/fixpoint fix --all',
  '/fixpoint fix all BE-1',
  '/fixpoint fix $(id)',
  '/fixpoint approve',
  '/fixpoint approve BE-1 BE-2',
  '/fixpoint ignore BE-1',
  '/fixpoint review now',
  '/fixpoint sudo',
  `/fixpoint fix ${'BE-1234567890 '.repeat(3)}`,
])('%j is said to be misread', (body) => {
  expect(readCommentCommand(body)).toMatchObject({ name: 'misread' })
})

test.each([
  '',
  'fixpoint fix',
  '> /fixpoint fix',
  '/fixpointfix',
  'Hi\n/fixpoint fix',
  '`/fixpoint fix`',
  '/ fixpoint fix',
])('%j is conversation', (body) => {
  expect(readCommentCommand(body)).toBeNull()
})
