import { lookup } from 'node:dns/promises'
import type { Clock } from '@ars/platform/clock'
import { createEgress, type Egress } from '@ars/platform/egress/egress'
import { EgressRefused } from '@ars/platform/egress/failure'
import { createDnsResolver, type Resolver } from '@ars/platform/egress/resolver'
import { modelsBounds } from './bounds.ts'

/** The network path to one provider. */
export type ProviderAddress = { fetch: Egress['fetch']; close(): void }

// A worker holds one connection per streamed reply.
const limits = {
  maxConnectionsPerHost: modelsBounds.connectionsOfHost.count,
  maxConnections: modelsBounds.connections.count,
}

/**
 * A vendor's own address uses the egress client unchanged. An address that the operator configured may be in the
 * operator's network and may be plain HTTP, so it gets a separate client that is limited to that host and port.
 * Customers supply no provider address, and their hosts use another client, so this opens nothing for them.
 */
export const openProviderAddress = (baseUrl: string | undefined, clock: Clock): ProviderAddress => {
  if (baseUrl === undefined) {
    const egress = createEgress({ clock, limits })
    return { fetch: egress.fetch, close: () => egress.close() }
  }
  const url = new URL(baseUrl)
  const egress = createEgress({
    allowRanges: ['0.0.0.0/0', '::/0'],
    allowPorts: [url.port === '' ? defaultPort(url) : Number(url.port)],
    allowPlainHttp: url.protocol === 'http:',
    resolver: createOperatorResolver(clock),
    clock,
    limits,
  })
  return { fetch: fetchWithin(url.origin, egress), close: () => egress.close() }
}

const defaultPort = ({ protocol }: URL): number => (protocol === 'https:' ? 443 : 80)

const fetchWithin =
  (origin: string, egress: Egress): Egress['fetch'] =>
  (input, init) => {
    const target = input instanceof Request ? input.url : String(input)
    if (!URL.canParse(target) || new URL(target).origin !== origin) {
      return Promise.reject(new EgressRefused('A provider is called at its own address only'))
    }
    return egress.fetch(input, init)
  }

/** DNS first, which blocks no thread; then the operator's hosts file and search domains, which only `lookup` reads. */
const createOperatorResolver = (clock: Clock): Resolver => {
  const dns = createDnsResolver({ queryTimeoutMs: modelsBounds.lookup.ms, clock })
  return async (hostname) => {
    if (hostname === 'localhost') return ['127.0.0.1', '::1']
    const found = await dns(hostname).catch(() => [])
    if (found.length > 0) return found
    return (await lookup(hostname, { all: true })).map(({ address }) => address)
  }
}
