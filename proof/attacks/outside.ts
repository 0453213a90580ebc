import { request } from 'node:https'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import type { InsideFacts } from './inside.ts'
import { inParallel } from './wire.ts'

/** What a stranger on the same cable finds. */
export type OutsideFindings = {
  /** By the address that was asked. */
  open: Record<string, number[]>
  /** Statuses of paths that no page names, with and without a key. */
  answers: { path: string; status: number }[]
}

export type OutsideTask = InsideFacts & {
  addresses: readonly string[]
}

const portsInAll = 65_535
const askedAtOnce = 400
const patienceMs = 3_000

// Words under which others keep what belongs to operators.
const paths = [
  ...['/', '/metrics', '/v2/metrics', '/debug', '/debug/pprof', '/debug/vars', '/admin', '/v2/admin', '/internal'],
  ...['/v2/internal', '/restate', '/restate/health', '/discover', '/invoke/Run/segment', '/deployments', '/services'],
  ...['/query', '/health', '/healthz', '/status', '/server-status', '/actuator', '/actuator/env', '/env', '/.env'],
  ...['/.git/config', '/.well-known/security.txt', '/config', '/config.json', '/package.json', '/swagger'],
  ...['/swagger.json', '/graphql', '/api', '/api/auth', '/v1/runs', '/v3/runs'],
  ...['/V2/runs', '/v2/Runs', '/runs', '/console', '/login', '/setup', '/install', '/backup', '/dump.sql'],
  ...['/heapdump', '/trace', '/v2/users', '/v2/organisations', '/v2/keys', '/v2/secrets', '/v2/workflows', '/v2/steps'],
]

const task = JSON.parse(await text(process.stdin)) as OutsideTask

const openPorts = async (address: string): Promise<number[]> => {
  const found: number[] = []
  const ports = Array.from({ length: portsInAll }, (_, at) => at + 1)
  await inParallel(ports, askedAtOnce, async (port) => {
    if (await isOpen(address, port)) found.push(port)
  })
  return found.toSorted((a, b) => a - b)
}

const isOpen = (address: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect({ host: address, port, timeout: patienceMs })
    const end = (verdict: boolean) => (): void => {
      socket.destroy()
      resolve(verdict)
    }
    socket.once('connect', end(true))
    socket.once('error', end(false))
    socket.once('timeout', end(false))
  })

const ask = (host: string, path: string, key: string | undefined): Promise<number> =>
  new Promise((resolve) => {
    const outgoing = request({
      host,
      path,
      port: task.httpsPort,
      ca: task.ca,
      servername: 'localhost',
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    })
    outgoing.once('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    outgoing.once('error', () => resolve(0))
    outgoing.end()
  })

const findings: OutsideFindings = { open: {}, answers: [] }
for (const address of task.addresses) findings.open[address] = await openPorts(address)
const [reached] = task.addresses
for (const path of paths) {
  for (const key of [undefined, task.key]) findings.answers.push({ path, status: await ask(reached ?? '', path, key) })
}
process.stdout.write(JSON.stringify(findings))
process.exit()
