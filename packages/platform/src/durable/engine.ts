import { Pool } from 'undici'

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
const connections = 32
/** The error message of the engine. */
const journalMismatch = 'RT0016'

export const openEngine = ({ ingressUrl, adminUrl }: { ingressUrl: string; adminUrl: string }): Engine => {
  const ingress = new Pool(ingressUrl, { connections, pipelining: 1, headersTimeout: sendTimeoutMs })
  const admin = new Pool(adminUrl, { connections: 2, headersTimeout: adminTimeoutMs, bodyTimeout: adminTimeoutMs })

  // Only these headers are sent, because the engine stores headers in its journal.
  const post = async (
    pool: Pool,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<unknown> => {
    try {
      const answer = await pool.request({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      const text = await answer.body.text()
      if (answer.statusCode === 404) throw new ServiceUnknown(`The engine knows no ${path}`)
      if (answer.statusCode >= 300)
        throw new EngineUnavailable(`The engine answered ${answer.statusCode}: ${text.slice(0, 300)}`)
      return text === '' ? undefined : JSON.parse(text)
    } catch (error) {
      if (error instanceof EngineUnavailable) throw error
      throw new EngineUnavailable('The engine did not respond', { cause: error })
    }
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
      const answer = await admin
        .request({ method: 'PATCH', path: `/invocations/${encodeURIComponent(invocation)}/kill` })
        .catch((error: unknown) => {
          throw new EngineUnavailable('The engine did not respond', { cause: error })
        })
      await answer.body.dump()
      if (answer.statusCode < 300 || answer.statusCode === 404 || answer.statusCode === 409) return
      throw new EngineUnavailable(`The engine answered ${answer.statusCode} to a kill`)
    },
    query,
    version: async () => {
      const answer = await admin.request({ method: 'GET', path: '/version' }).catch((error: unknown) => {
        throw new EngineUnavailable('The engine did not respond', { cause: error })
      })
      return ((await answer.body.json()) as { version: string }).version
    },
    close: async () => {
      await Promise.all([ingress.destroy(), admin.destroy()])
    },
  }
}
