import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { Fault } from '../../model/fault.ts'

/** A proxy that logs people in and says who they are. */
export interface TrustedProxy {
  /** The name that the proxy gives; null when the request does not come from it, or it says nothing. */
  personIn(headers: IncomingHttpHeaders, peer: string): string | null
  /** Where a request comes from: what the proxy says of it, else who is connected. */
  addressOf(headers: IncomingHttpHeaders, peer: string): string
}

export interface TrustedProxySettings {
  readonly header: string
  /** Addresses and networks; none trusts nobody. */
  readonly from: readonly string[]
}

export function createTrustedProxy({ header, from }: TrustedProxySettings): TrustedProxy {
  const list = new BlockList()
  for (const one of from) addTo(list, one)
  const isProxy = (peer: string): boolean => {
    const address = peer.replace(/^::ffff:(?=\d)/, '')
    const kind = isIP(address)
    return kind !== 0 && list.check(address, kind === 4 ? 'ipv4' : 'ipv6')
  }
  return {
    personIn(headers, peer) {
      const said = headers[header.toLowerCase()]
      return typeof said === 'string' && said !== '' && isProxy(peer) ? said : null
    },
    addressOf(headers, peer) {
      const forwarded = headers['x-forwarded-for']
      // The caller itself wrote everything before the last address.
      const last = typeof forwarded === 'string' ? forwarded.split(',').at(-1)?.trim() : undefined
      return last && isIP(last) !== 0 && isProxy(peer) ? last : peer
    },
  }
}

function addTo(list: BlockList, written: string): void {
  const [address = '', bits, ...more] = written.split('/')
  const kind = isIP(address)
  const most = kind === 4 ? 32 : 128
  const length = bits === undefined ? most : Number(bits)
  if (kind === 0 || more.length > 0 || !/^\d{1,3}$/.test(bits ?? '0') || length > most)
    throw new Fault('config_invalid', `server.trusted_proxy.from: "${written}" is no address or network`, {
      hint: 'Write it as 10.0.0.7 or 10.0.0.0/24.',
    })
  list.addSubnet(address, length, kind === 4 ? 'ipv4' : 'ipv6')
}
