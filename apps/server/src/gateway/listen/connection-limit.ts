import type { Socket } from 'node:net'
import { networkOf } from '@ars/platform/network'
import type { ClientAddresses } from './client-address.ts'

/** Limits the connections of one address, so that one client cannot use up all connections. */
export type ConnectionLimit = {
  /** Takes a slot until the connection closes. False: the address has reached its limit. */
  take(socket: Socket): boolean
}

export const createConnectionLimit = ({
  perAddress,
  addresses,
}: {
  perAddress: number
  addresses: Pick<ClientAddresses, 'peerOf'>
}): ConnectionLimit => {
  // Every entry has at least one open connection, so entries are bounded by connections.
  const held = new Map<string, number>()

  const giveBack = (network: string): void => {
    const left = (held.get(network) ?? 0) - 1
    if (left > 0) held.set(network, left)
    else held.delete(network)
  }

  return {
    take: (socket) => {
      const { address, isTrusted } = addresses.peerOf(socket)
      // A trusted proxy serves many clients and limits them on its side.
      if (isTrusted) return true
      const network = networkOf(address)
      const count = held.get(network) ?? 0
      if (count >= perAddress) return false
      held.set(network, count + 1)
      socket.once('close', () => giveBack(network))
      return true
    },
  }
}
