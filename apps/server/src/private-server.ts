import http from 'node:http'
import type { Config } from '@ars/core/config'
import type { MetricsExporter } from '@ars/platform/metrics'
import type { Readiness } from './readiness.ts'

/** Metrics and probes, on a port that customers cannot reach. */
export const servePrivate = async (
  config: Config,
  metrics: MetricsExporter,
  readiness: Readiness,
): Promise<{ close(): Promise<void> }> => {
  const server = http.createServer((request, response) => {
    if (request.url === '/metrics') return void metrics.serve(request, response)
    if (request.url === '/livez') return response.end('ok\n')
    if (request.url === '/readyz') {
      return void readiness.check().then((reason) => {
        response.statusCode = reason === null ? 200 : 503
        response.end(`${reason ?? 'ok'}\n`)
      })
    }
    response.statusCode = 404
    response.end()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.metricsPort, config.metricsHost, resolve)
  })
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
