import { describe, expect, it } from 'vitest'
import { Fault } from './fault.ts'
import { looksLikeUrl, parseRepositoryUrl } from './repository-url.ts'

describe('the address of a repository', () => {
  it.each([
    [
      'https://github.com/ada/sample.git',
      { protocol: 'https', host: 'github.com', port: null, name: 'sample' },
    ],
    [
      'https://GitHub.com:8443/ada/sample',
      { protocol: 'https', host: 'github.com', port: 8443, name: 'sample' },
    ],
    [
      'http://127.0.0.1:8080/ada/sample.git',
      { protocol: 'http', host: '127.0.0.1', port: 8080, name: 'sample' },
    ],
    ['http://[::1]:8080/a', { protocol: 'http', host: '::1', port: 8080, name: 'a' }],
    [
      'ssh://git@host.example/ada/sample.git',
      { protocol: 'ssh', host: 'host.example', port: null, name: 'sample' },
    ],
    [
      'git@host.example:ada/sample.git',
      { protocol: 'ssh', host: 'host.example', port: null, name: 'sample' },
    ],
  ])('is read: %s', (written, expected) => {
    expect(parseRepositoryUrl(written)).toEqual({ url: written, ...expected })
    expect(looksLikeUrl(written)).toBe(true)
  })

  it.each([
    'ext::sh -c touch% /tmp/x',
    'ext::id',
    'fd::17',
    'file:///etc',
    'file://host/x',
    'git://host/x',
    'ftp://host/x',
    'javascript:alert(1)',
    '-uid:x',
    '--upload-pack=id',
    'ssh://-oProxyCommand=id/x',
    'ssh://-oProxyCommand=id@host/x',
    '-oProxyCommand=id:x/y',
    'git@-oProxyCommand=id:x',
    'git@host:-x',
    'https://user:secret@host/x',
    'https://token@host/x',
    'https://host/x?a=b',
    'https://host/x#y',
    'https://host/',
    'https://host/..',
    'https://host/a b',
    'https://host/a\nb',
    'https:\\\\host\\x',
    'https://',
    '/some/where',
    '../elsewhere',
    '',
  ])('is refused: %s', (written) => {
    expect(() => parseRepositoryUrl(written)).toThrow(Fault)
  })

  it('is refused when it is longer than any honest one', () => {
    expect(() => parseRepositoryUrl(`https://host/${'a'.repeat(3_000)}`)).toThrow(Fault)
  })

  it('keeps a password out of its own refusal', () => {
    expect(() => parseRepositoryUrl('file://ada:geheim@host/x')).toThrow(/^(?!.*geheim)/s)
  })

  it.each(['.', '/home/ada/project', './x', '../y', 'project'])('is told apart from a folder: %s', (path) => {
    expect(looksLikeUrl(path)).toBe(false)
  })
})
