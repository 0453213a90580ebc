import net from 'node:net'
import { ConfigError } from '@ars/platform/config'
import { parseRange } from '@ars/platform/egress/address'
import { serverBounds } from '../../bounds.ts'

/** The client address and protocol of a request. Forwarding headers count only from a trusted proxy. */
export type ClientAddresses = {
  read(request: RequestFacts): { address: string; isSecure: boolean }
  /** The peer of the connection, and whether it is a trusted proxy. */
  peerOf(socket: Pick<net.Socket, 'remoteAddress'>): { address: string; isTrusted: boolean }
}

type RequestFacts = {
  headers: { 'x-forwarded-for'?: string | string[] | undefined; 'x-forwarded-proto'?: string | string[] | undefined }
  socket: { remoteAddress?: string | undefined; encrypted?: boolean }
}

// Proxies are few; other addresses are checked once and may be evicted.
const maxKnownAddresses = serverBounds.clientAddressesKnown.count

export const createClientAddresses = (trustedRanges: readonly string[]): ClientAddresses => {
  const trusted = readRanges(trustedRanges)
  const knownAddresses = new Map<string, boolean>()

  const isTrusted = (address: string): boolean => {
    if (trustedRanges.length === 0) return false
    const known = knownAddresses.get(address)
    if (known !== undefined) return known
    const family = net.isIP(address)
    const verdict = family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4')
    if (knownAddresses.size >= maxKnownAddresses) knownAddresses.clear()
    knownAddresses.set(address, verdict)
    return verdict
  }

  /** The last hop that is not a trusted proxy. Earlier entries are set by the client. */
  const lastUntrusted = (hops: string, peer: string): string => {
    let address = peer
    for (const hop of hops.split(',').toReversed()) {
      const candidate = plainAddress(hop.trim())
      if (net.isIP(candidate) === 0) return address
      address = candidate
      if (!isTrusted(candidate)) return address
    }
    return address
  }

  return {
    peerOf: ({ remoteAddress = '' }) => {
      const address = plainAddress(remoteAddress)
      return { address, isTrusted: isTrusted(address) }
    },
    read: ({ headers, socket }) => {
      const peer = plainAddress(socket.remoteAddress ?? '')
      const hops = headers['x-forwarded-for']
      const protocol = headers['x-forwarded-proto']
      const isEncrypted = socket.encrypted === true
      if ((hops === undefined && protocol === undefined) || !isTrusted(peer)) {
        return { address: peer, isSecure: isEncrypted }
      }
      return {
        address: hops === undefined ? peer : lastUntrusted(String(hops), peer),
        // A proxy may receive plain HTTP and forward it over TLS.
        isSecure: protocol === undefined ? isEncrypted : protocol === 'https',
      }
    },
  }
}

const readRanges = (ranges: readonly string[]): net.BlockList => {
  const list = new net.BlockList()
  for (const range of ranges) {
    try {
      const [network, bits] = parseRange(range)
      list.addSubnet(network.toString(), bits, network.kind())
    } catch (error) {
      throw new ConfigError(`ARS_TRUSTED_PROXIES: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      })
    }
  }
  return list
}

/** A dual-stack socket reports IPv4 addresses in IPv6 notation. */
const plainAddress = (address: string): string => (address.startsWith('::ffff:') ? address.slice(7) : address)
