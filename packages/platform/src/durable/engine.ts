import { platformBounds } from '../bounds.ts'
import { type Clock, systemClock } from '../clock.ts'
import { type EngineNodes, type NodeRequest, type NodeResponse, openEngineNodes } from './engine-nodes.ts'

/** The engine was unavailable. Messages that were not sent remain in the outbox. */
class EngineUnavailable extends Error {
  override readonly name = 'EngineUnavailable'
}

/** The engine does not know the service: it lost its disk, or no worker has registered yet. */
export class ServiceUnknown extends EngineUnavailable {}

export type Engine = {
  /** One-way. Idempotent: the same key within the retention of the handler is one invocation. */
  send(target: Target, message: unknown, key: string): Promise<void>
  /** Waits for the response; for short calls only. */
  call(target: Target, message: unknown): Promise<unknown>
  /** Registers the address of the workers. Idempotent. */
  register(workerUrl: string): Promise<void>
  /** Invocations that failed and wait for their next attempt. The engine would retry them forever. */
  listBackingOff(services: readonly string[], limit: number): Promise<BackingOff[]>
  /** Kills an invocation. A missing invocation is not an error. */
  kill(invocation: string): Promise<void>
  /** Rows of the engine's own tables. */
  query<Row>(sql: string): Promise<Row[]>
  version(): Promise<string>
  /** The address of the workers that have registered a service. Null: none has. */
  findAddress(service: string): Promise<string | null>
  /** Throws unless Restate's ingress responds. */
  checkIngress(): Promise<void>
  /** Asks the engine to call a worker, as for a registration, and changes nothing. Null: the worker answered. */
  findWorkerFault(workerUrl: string): Promise<string | null>
  close(): Promise<void>
}

export type BackingOff = {
  id: string
  service: string
  /** The key that it was sent with. */
  key: string | null
  /** No worker answered at the address. */
  isUnreachable: boolean
  /** It does not repeat what an earlier attempt did: the engine accepts no further attempt. */
  isMismatch: boolean
}

export type Target = { service: string; handler: string; object?: string }

const sendTimeoutMs = platformBounds.engineSend.ms
const adminTimeoutMs = platformBounds.engineCommand.ms
/** Codes of the engine. */
const unreachable = 'RT0010'
const journalMismatch = 'RT0016'

/** Each list names the nodes of one engine. */
export const openEngine = ({
  ingressUrls,
  adminUrls,
  clock = systemClock,
}: {
  ingressUrls: readonly string[]
  adminUrls: readonly string[]
  clock?: Clock
}): Engine => {
  const ingress = openEngineNodes({ urls: ingressUrls, connections: 32, timeoutMs: sendTimeoutMs, clock })
  const admin = openEngineNodes({ urls: adminUrls, connections: 2, timeoutMs: adminTimeoutMs, clock })

  const ask = (nodes: EngineNodes, request: NodeRequest): Promise<NodeResponse> =>
    nodes.request(request).catch((error: unknown) => {
      throw new EngineUnavailable('The engine did not respond', { cause: error })
    })

  // Only these headers are sent, because the engine stores headers in its journal.
  const post = async (
    nodes: EngineNodes,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<unknown> => {
    const { statusCode, text } = await ask(nodes, {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    if (statusCode === 404) throw new ServiceUnknown(`The engine knows no ${path}`)
    if (statusCode >= 300) throw new EngineUnavailable(`The engine answered ${statusCode}: ${text.slice(0, 300)}`)
    return text === '' ? undefined : parse(text)
  }

  const query = async <Row>(sql: string): Promise<Row[]> =>
    ((await post(admin, '/query', { query: sql })) as { rows: Row[] }).rows

  const pathOf = ({ service, handler, object }: Target): string =>
    object === undefined ? `/${service}/${handler}` : `/${service}/${encodeURIComponent(object)}/${handler}`

  return {
    send: async (target, message, key) => {
      await post(ingress, `${pathOf(target)}/send`, message, { 'idempotency-key': key })
    },
    call: (target, message) => post(ingress, pathOf(target), message),
    register: async (workerUrl) => {
      // The handlers are generic and keep their names, so the newest worker may replace the registration.
      await post(admin, '/deployments', { uri: workerUrl, force: true })
    },
    listBackingOff: async (services, limit) => {
      // A table of what is in memory; the next one also contains what has ended, and is read only if it is needed.
      const [waiting] = await query<{ n: number }>(
        'select count(*) as n from sys_invocation_state where in_flight = false',
      )
      if (!waiting?.n) return []
      const rows = await query<BackingOffRow>(
        `select id, target_service_name as service, idempotency_key as key, last_failure_error_code as code
           from sys_invocation
          where status = 'backing-off' and target_service_name in (${services.map((name) => `'${name}'`).join(', ')})
          limit ${limit}`,
      )
      return rows.map(toBackingOff)
    },
    kill: async (invocation) => {
      const path = `/invocations/${encodeURIComponent(invocation)}/kill`
      const { statusCode } = await ask(admin, { method: 'PATCH', path })
      if (statusCode < 300 || statusCode === 404 || statusCode === 409) return
      throw new EngineUnavailable(`The engine answered ${statusCode} to a kill`)
    },
    query,
    version: async () => {
      const { text } = await ask(admin, { method: 'GET', path: '/version' })
      return (parse(text) as { version: string }).version
    },
    findAddress: async (service) => {
      const rows = await query<{ name: string; endpoint: string }>(
        'select s.name, d.endpoint from sys_service s join sys_deployment d on d.id = s.deployment_id',
      )
      return rows.find(({ name }) => name === service)?.endpoint ?? null
    },
    checkIngress: async () => {
      const { statusCode } = await ask(ingress, { method: 'GET', path: '/restate/health' })
      if (statusCode !== 200) throw new EngineUnavailable(`/restate/health answered ${statusCode}`)
    },
    findWorkerFault: async (workerUrl) => {
      const request = { uri: workerUrl, force: true, dry_run: true }
      const { statusCode, text } = await ask(admin, {
        method: 'POST',
        path: '/deployments',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request),
      })
      return statusCode < 300 ? null : text.slice(0, 500)
    },
    close: async () => {
      await Promise.all([ingress.close(), admin.close()])
    },
  }
}

/** The engine leaves out what is null. */
type BackingOffRow = { id: string; service: string; key?: string; code?: string }

const toBackingOff = ({ id, service, key, code }: BackingOffRow): BackingOff => ({
  id,
  service,
  key: key ?? null,
  isUnreachable: code === unreachable,
  isMismatch: code === journalMismatch,
})

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new EngineUnavailable('The engine answered no JSON', { cause: error })
  }
}
