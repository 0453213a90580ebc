import { expect } from 'vitest'
import { createEgress, type Egress, type EgressOptions } from '../egress.ts'
import { EgressFailed } from '../failure.ts'
import { makeCertificate } from './certificate.ts'
import { createPeers, type Peer } from './peers.ts'

export const name = 'receiver.example.com'
export const certificate = makeCertificate([name, '127.0.0.1'])
export const peers = createPeers()
const opened: Egress[] = []

/** An egress client that resolves the names of the test to loopback. */
export const egressTo = (ports: readonly number[], options: EgressOptions = {}): Egress => {
  const egress = createEgress({
    allowRanges: ['127.0.0.0/8'],
    allowPorts: ports,
    extraCertificates: [certificate.cert],
    resolver: async () => ['127.0.0.1'],
    ...options,
  })
  opened.push(egress)
  return egress
}

export const at = ({ port }: Peer, path = '/'): string => `https://${name}:${port}${path}`

export const failureOf = async (call: Promise<unknown>): Promise<EgressFailed> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(EgressFailed)
  return error as EgressFailed
}

export const closeAll = async (): Promise<void> => {
  for (const egress of opened) egress.close()
  await peers.close()
}
