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
  /** Invocations whose journal does not match their handler any more. The engine would retry them forever. */
  listMismatched(service: string, limit: number): Promise<string[]>
  /** Kills an invocation. A missing invocation is not an error. */
  kill(invocation: string): Promise<void>
  /** Rows of the engine's own tables. */
  query<Row>(sql: string): Promise<Row[]>
  version(): Promise<string>
  close(): Promise<void>
}

export type Target = { service: string; handler: string; object?: string }

const sendTimeoutMs = 3000
const adminTimeoutMs = 10_000
/** The error message of the engine. */
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
    listMismatched: async (service, limit) => {
      const rows = await query<{ id: string }>(
        `select id from sys_invocation
          where target_service_name = '${service}' and last_failure_error_code = '${journalMismatch}' limit ${limit}`,
      )
      return rows.map(({ id }) => id)
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
    close: async () => {
      await Promise.all([ingress.close(), admin.close()])
    },
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new EngineUnavailable('The engine answered no JSON', { cause: error })
  }
}
