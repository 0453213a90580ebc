import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEgress } from '@ars/platform/egress/egress'
import { EgressFailed } from '@ars/platform/egress/failure'
import { createDnsResolver } from '@ars/platform/egress/resolver'
import { startNameServer } from '@ars/platform/egress/test/name-server'
import type { Fault } from './table.ts'

const slowMs = 250

/** A call to a name, with a name server that has the fault. */
export const callByName = async (fault: Fault): Promise<string> => {
  const server = createServer((_, response) => response.end('hello'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  let queries = 0
  const names = await startNameServer(async () => {
    queries++
    if (fault === 'refused') return 'SERVFAIL'
    // The first query, for one of two address types, is lost.
    if (fault === 'hung' || (fault === 'half-open' && queries === 1)) return 'silence'
    if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, slowMs))
    return { addresses: ['127.0.0.1'] }
  })
  const egress = createEgress({
    allowRanges: ['127.0.0.0/8'],
    allowPorts: 'any',
    allowPlainHttp: true,
    resolver: createDnsResolver({ servers: [names.server], queryTimeoutMs: 2_500 }),
  })
  try {
    const { status } = await egress.request({ url: `http://part.test:${port}/`, method: 'GET' })
    return status === 200 ? 'answered' : String(status)
  } catch (error) {
    return error instanceof EgressFailed ? `${error.kind} failed` : String(error)
  } finally {
    egress.close()
    names.close()
    server.closeAllConnections()
    server.close()
  }
}
