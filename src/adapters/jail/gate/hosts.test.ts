import { describe, expect, test } from 'vitest'
import { isPublicAddress, judgeTarget, namedTargets, parseTarget } from './hosts.ts'

describe('a target', () => {
  test.each([
    ['api.example.com:443', { host: 'api.example.com', port: 443 }],
    ['API.Example.com', { host: 'api.example.com', port: 443 }],
    ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080 }],
    ['[::1]:80', { host: '::1', port: 80 }],
  ])('%s is read', (text, target) => expect(parseTarget(text, 443)).toEqual(target))

  test.each([
    'api.example.com.:443',
    'api..example.com',
    '.example.com',
    'a\0.example.com',
    'a%00.example.com',
    'user@example.com',
    'example.com:0',
    'example.com:70000',
    'example.com:x',
    'a b',
    '-x.com',
    '',
    '[::1',
    '[x]',
    '2130706433',
    '0x7f.1',
    '127.1',
    '0177.0.0.1',
    'éxample.com',
    'example.com\\@evil.com',
    'example.com#evil',
    'example.com/evil',
  ])('%j is refused', (text) => expect(parseTarget(text, 443)).toBeNull())
})

test('hosts of the model are reached at their usual port only, a host that the person names at that very port', () => {
  const allowed = { hosts: ['api.example.com'], named: namedTargets(['localhost:8080', 'other.example']) }
  const verdicts = [
    'api.example.com:443',
    'api.example.com:80',
    'evil.example:443',
    'xapi.example.com:443',
    'localhost:8080',
    'localhost:8081',
    'other.example:443',
    'other.example:22',
  ].map((text) => judgeTarget(parseTarget(text, 443) ?? { host: '', port: 0 }, allowed))
  expect(verdicts).toEqual([
    'public_only',
    'refused',
    'refused',
    'refused',
    'anywhere',
    'refused',
    'anywhere',
    'refused',
  ])
})

test.each([
  ['8.8.8.8', true],
  ['2001:4860:4860::8888', true],
  ['127.0.0.1', false],
  ['10.1.2.3', false],
  ['172.20.0.1', false],
  ['192.168.1.1', false],
  ['169.254.169.254', false],
  ['100.100.0.1', false],
  ['0.0.0.0', false],
  ['::1', false],
  ['::', false],
  ['fe80::1', false],
  ['fd00::1', false],
  ['::ffff:127.0.0.1', false],
  ['::ffff:169.254.169.254', false],
  ['::ffff:7f00:1', false],
  ['::7f00:1', false],
  ['2002:7f00:1::', false],
  ['64:ff9b::7f00:1', false],
  ['224.0.0.1', false],
  ['x', false],
])('the address %s is public: %s', (address, isPublic) => expect(isPublicAddress(address)).toBe(isPublic))
