import { BlockList, isIP } from 'node:net'

/** Where a program wants to go. */
export interface Target {
  readonly host: string
  readonly port: number
}

const name = /^(?!-)[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/
const ipv6 = /^\[([0-9a-f:.]+)\]$/

/** `host:port` as a program wrote it; null for what no honest program writes: empty parts, odd bytes, a dot at the end. */
export function parseTarget(text: string, usualPort: number): Target | null {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text.toLowerCase()) ?? []
  const number = port === undefined ? usualPort : Number(port)
  if (number < 1 || number > 65_535) return null
  const inner = ipv6.exec(host)?.[1]
  if (inner !== undefined) return isIP(inner) === 6 ? { host: inner, port: number } : null
  // A number with fewer than four parts is an address to some programs and a name to others.
  const isOdd = /^(0x)?[0-9a-f.]*$/.test(host) && /^[\d.]|^0x/.test(host) && isIP(host) !== 4
  return name.test(host) && !isOdd ? { host, port: number } : null
}

/** What may be reached. */
export interface Allowed {
  /** Only at the usual port, and only where a name leads to a public address. */
  readonly hosts: readonly string[]
  /** Wherever it is, because a person named it. */
  readonly named: readonly Target[]
}

const usualPort = 443

export type Verdict = 'refused' | 'public_only' | 'anywhere'

export function judgeTarget({ host, port }: Target, { hosts, named }: Allowed): Verdict {
  if (named.some((other) => other.host === host && other.port === port)) return 'anywhere'
  return port === usualPort && hosts.includes(host) ? 'public_only' : 'refused'
}

/** Entries of the configuration: `host` stands for its usual ports, `host:port` for just that one. */
export const namedTargets = (
  entries: readonly string[],
  usualPorts: readonly number[] = [80, usualPort],
): readonly Target[] =>
  entries.flatMap((entry) =>
    usualPorts.flatMap((port) => {
      const target = parseTarget(entry, port)
      return target === null ? [] : [target]
    }),
  )

const inner = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  inner.addSubnet(net, bits, 'ipv4')
for (const [net, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  inner.addSubnet(net, bits, 'ipv6')

/** Whether an address belongs to nobody's own network; one that carries an IPv4 address is judged by that. */
export function isPublicAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  const plain = mapped ?? address
  const family = isIP(plain)
  return family !== 0 && !inner.check(plain, family === 4 ? 'ipv4' : 'ipv6')
}
