import { expect, test } from 'vitest'
import { createTrustedProxy } from './trusted-proxy.ts'

const header = 'X-Forwarded-Email'
const said = { 'x-forwarded-email': 'ada@example.org', 'x-forwarded-for': '6.6.6.6, 203.0.113.9' }

test('who a proxy names is believed from its own addresses only', () => {
  const proxy = createTrustedProxy({ header, from: ['10.1.0.0/16', '::1'] })
  const from = (peer: string) => [proxy.personIn(said, peer), proxy.addressOf(said, peer)]
  for (const peer of ['10.1.2.3', '::ffff:10.1.2.3', '::1'])
    expect(from(peer)).toEqual(['ada@example.org', '203.0.113.9'])
  for (const peer of ['10.2.0.1', '127.0.0.1', '', 'nonsense']) expect(from(peer)).toEqual([null, peer])
  expect(proxy.personIn({ 'x-forwarded-email': '' }, '10.1.2.3')).toBeNull()
  expect(proxy.addressOf({ 'x-forwarded-for': 'nonsense' }, '10.1.2.3')).toBe('10.1.2.3')
})

test('nobody is believed where no proxy is configured', () => {
  const proxy = createTrustedProxy({ header, from: [] })
  expect(proxy.personIn(said, '127.0.0.1')).toBeNull()
  expect(proxy.addressOf(said, '127.0.0.1')).toBe('127.0.0.1')
})

test.each(['10.0.0.0/33', '10.0.0/8', 'proxy.example', '10.0.0.0/8/1', '::/129', '10.0.0.1/x'])(
  '%s is no network',
  (from) => {
    expect(() => createTrustedProxy({ header, from: [from] })).toThrow('is no address or network')
  },
)
