import { once } from 'node:events'
import { createServer } from 'node:https'
import { makeCertificate } from '@ars/platform/egress/test/certificate'
import { allowedPort, publicAddress } from './namespace.ts'

/** The attacker's own server, on a public address. `/ok…` is content; `/redirect/<status>/<target>` redirects. */
export type PublicHost = {
  /** What the service must trust to speak to it. */
  ca: string
  /** Requests by path. */
  requests: ReadonlyMap<string, number>
  close(): void
}

export const redirectPath = (status: number, target: string): string =>
  `/redirect/${status}/${encodeURIComponent(target)}`

export const startPublicHost = async (): Promise<PublicHost> => {
  const certificate = makeCertificate(['*.attacker.example'])
  const requests = new Map<string, number>()
  const servers = [443, allowedPort].map((port) =>
    createServer(certificate, (request, response) => {
      const path = request.url ?? ''
      requests.set(path, (requests.get(path) ?? 0) + 1)
      request.resume()
      const [, status, target] = /^\/redirect\/(\d+)\/(.+)$/.exec(path) ?? []
      if (status === undefined || target === undefined) return response.writeHead(204).end()
      const location = decodeURIComponent(target)
      // As many ways as there are to say: go there.
      const headers = {
        location,
        refresh: `0; url=${location}`,
        'content-location': location,
        'content-type': 'text/html',
      }
      response.writeHead(Number(status), headers)
      return response.end(
        `<meta http-equiv="refresh" content="0; url=${location}"><script>location="${location}"</script>`,
      )
    })
      .on('tlsClientError', () => undefined)
      .listen(port, publicAddress),
  )
  await Promise.all(servers.map((server) => once(server, 'listening')))
  return {
    ca: certificate.cert,
    requests,
    close: () => {
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
}
