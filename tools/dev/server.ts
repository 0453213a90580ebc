import { existsSync, readFileSync } from 'node:fs'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'
import { join } from 'node:path'
import { isSource, releaseFile } from '@ars/platform/release-files'
import type { Part } from './parts/part.ts'
import { type ManagedProcess, managedProcess } from './parts/process.ts'

export type ServerRole = 'gateway' | 'worker' | 'all'

/** The clone; in the npm package the folder of its programs. */
export const repositoryDir = releaseFile('.')
export const serverProgram = isSource ? 'apps/server/src/main.ts' : 'main.mjs'
/** The program of an unpacked bundle. */
const bundleProgram = 'main.mjs'

/** The program of a checkout, or of a folder with a bundle. */
export const programIn = (folder: string): string => {
  const bundled = join(folder, bundleProgram)
  return existsSync(bundled) ? bundled : join(folder, serverProgram)
}

export type ServerPart = Part & {
  readonly role: ServerRole
  /** The gateway's address for clients; a worker has none. */
  readonly url: string | undefined
  readonly metricsUrl: string
  readonly logFile: string
  freeze(): void
  thaw(): void
  onUnexpectedEnd: ManagedProcess['onUnexpectedEnd']
}

export type ServerOptions = {
  name: string
  dir: string
  role: ServerRole
  env: NodeJS.ProcessEnv
  /** The checkout whose server runs, or a folder with a bundle. */
  checkout?: string
}

/** One `ars-server serve` process; where it listens is read from the environment that it gets. */
export const server = ({ name, dir, role, env, checkout = repositoryDir }: ServerOptions): ServerPart => {
  const metricsUrl = `http://${env.ARS_METRICS_HOST}:${env.ARS_METRICS_PORT}`
  const url = role === 'worker' ? undefined : env.ARS_PUBLIC_URL
  const running = managedProcess({
    name,
    dir,
    command: process.execPath,
    args: [programIn(checkout), 'serve', '--role', role],
    cwd: checkout,
    env,
    ports: portsOf(name, role, env),
    stopTimeoutMs: 40_000,
    isReady: () => (url ? isGatewayReady(env) : isOk(httpGet(`${metricsUrl}/readyz`, { timeout: 2000 }))),
  })
  return {
    ...running,
    role,
    url,
    metricsUrl,
  }
}

/** Workers share their port with each other; only a process that is alone may ask for it to be free. */
const portsOf = (name: string, role: ServerRole, env: NodeJS.ProcessEnv): { port: number; what: string }[] => {
  const ports = [{ port: Number(env.ARS_METRICS_PORT), what: `${name} (metrics)` }]
  if (role !== 'worker') ports.push({ port: Number(env.ARS_HTTP_PORT), what: `${name} (API)` })
  if (role === 'all') ports.push({ port: Number(env.ARS_WORKER_PORT), what: `${name} (worker)` })
  return ports
}

const isGatewayReady = (env: NodeJS.ProcessEnv): Promise<boolean> => {
  const ca = readFileSync(env.ARS_TLS_CERT_FILE ?? '')
  const address = { host: env.ARS_HTTP_HOST, port: env.ARS_HTTP_PORT, path: '/readyz' }
  return isOk(httpsGet({ ...address, servername: 'localhost', ca, agent: false, timeout: 2000 }))
}

const isOk = (request: ReturnType<typeof httpGet>): Promise<boolean> =>
  new Promise((resolve) => {
    request.once('response', (response: IncomingMessage) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.once('error', () => resolve(false))
    request.once('timeout', () => request.destroy(new Error('timed out waiting for the answer')))
  })
