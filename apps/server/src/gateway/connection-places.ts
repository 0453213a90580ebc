import type { Socket } from 'node:net'
import type { ClientAddresses } from './client-address.ts'
import { networkOf } from './network.ts'

/** How many connections one address holds. Without this bound a single one could take the places of everybody. */
export type ConnectionPlaces = {
  /** A place until the connection closes. False: the address has as many as it may. */
  take(socket: Socket): boolean
}

export const createConnectionPlaces = ({
  perAddress,
  addresses,
}: {
  perAddress: number
  addresses: Pick<ClientAddresses, 'peerOf'>
}): ConnectionPlaces => {
  // An entry has at least one connection, so there are no more of them than connections.
  const held = new Map<string, number>()

  const giveBack = (network: string): void => {
    const left = (held.get(network) ?? 0) - 1
    if (left > 0) held.set(network, left)
    else held.delete(network)
  }

  return {
    take: (socket) => {
      const { address, isTrusted } = addresses.peerOf(socket)
      // Many clients stand behind a proxy. How many of them come at once is for it to say.
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
