import net from 'node:net'
import { ConfigError } from '@ars/platform/config'
import { parseRange } from '@ars/platform/egress/address'

/** Where a request comes from, and over what. What a header says of it counts only from a proxy that is trusted. */
export type ClientAddresses = {
  read(request: RequestFacts): { address: string; isSecure: boolean }
  /** Whoever is at the other end of the connection itself, and whether it is one of the trusted proxies. */
  peerOf(socket: Pick<net.Socket, 'remoteAddress'>): { address: string; isTrusted: boolean }
}

type RequestFacts = {
  headers: { 'x-forwarded-for'?: string | string[] | undefined; 'x-forwarded-proto'?: string | string[] | undefined }
  socket: { remoteAddress?: string | undefined; encrypted?: boolean }
}

// Proxies are few; whatever else speaks to us is judged once and may be forgotten.
const judgedMost = 1_000

export const createClientAddresses = (trustedRanges: readonly string[]): ClientAddresses => {
  const trusted = readRanges(trustedRanges)
  const judged = new Map<string, boolean>()

  const isTrusted = (address: string): boolean => {
    if (trustedRanges.length === 0) return false
    const known = judged.get(address)
    if (known !== undefined) return known
    const family = net.isIP(address)
    const verdict = family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4')
    if (judged.size >= judgedMost) judged.clear()
    judged.set(address, verdict)
    return verdict
  }

  /** The last hop that is not one of ours. What stands before it was written by whoever sent it. */
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
        // A proxy may speak TLS to us and have been spoken to without.
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

/** A socket that listens for both families tells IPv4 addresses in the form of IPv6. */
const plainAddress = (address: string): string => (address.startsWith('::ffff:') ? address.slice(7) : address)
