import { expect, it } from 'vitest'
import { normaliseRemote } from './history.ts'

it.each([
  'https://github.com/Ada/engine',
  'https://github.com/ada/engine.git',
  'https://ada:secret@github.com/ada/engine.git/',
  'https://github.com:443/ada/engine.git',
  'git@github.com:ada/engine.git',
  'github.com:ada/engine',
  'ssh://git@github.com:22/ada/engine.git',
  'git://github.com/ada/engine',
])('%s is the same remote as every other way to write it', (url) =>
  expect(normaliseRemote(url)).toBe('github.com/ada/engine'),
)

it.each([
  ['/srv/git/Engine.git', '/srv/git/Engine'],
  ['file:///srv/git/Engine.git', '/srv/git/Engine'],
  ['../engine', '../engine'],
  ['C:\\git\\engine', 'C:\\git\\engine'],
  ['ssh://git@host:2222/a/b.git', 'host:2222/a/b'],
])('%s is known as %s', (url, known) => expect(normaliseRemote(url)).toBe(known))
