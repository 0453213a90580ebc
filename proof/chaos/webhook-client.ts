import type { ApiCall } from '../lab/client/api-caller.ts'
import type { RunClient } from './run-client.ts'

/** Registers and looks after webhooks over the API, as patiently as the client of the runs. */
export type WebhookClient = {
  create(key: string, webhook: { url: string; events: readonly string[]; secret: string }): Promise<WireWebhook>
  get(id: string): Promise<WireWebhook>
  change(id: string, body: object): Promise<WireWebhook>
  rotate(id: string, body: { secret: string; overlap_hours: number }): Promise<WireWebhook>
  /** Newest first, one page. */
  deliveries(id: string, query?: string): Promise<WireDelivery[]>
  delivery(id: string, deliveryId: string): Promise<WireDelivery>
  redeliver(key: string, id: string, deliveryId: string): Promise<WireDelivery>
  recover(key: string, id: string, body: { since: string; until?: string }): Promise<WireRecovery>
  recovery(id: string, recoveryId: string): Promise<WireRecovery>
  missed(id: string, query?: string): Promise<{ id: string }[]>
}

/** In as far as it is looked at here. */
export type WireWebhook = {
  id: string
  url: string
  active: boolean
  status: string
  disabled_reason: string | null
  missed_since: string | null
}

export type WireDelivery = {
  id: string
  event_id: string
  status: string
  source: string
  attempts: {
    number: number
    at: string
    http_status: number | null
    error: string | null
    response: { body: string } | null
  }[]
}

export type WireRecovery = {
  id: string
  status: string
  progress: { found: number; delivered: number; failed: number; scanned_until: string | null }
}

/** A refusal stays one, however often it is asked for again. */
const answers = [200, 201, 400, 401, 403, 404, 409, 422]

export const webhookClient = (client: RunClient): WebhookClient => {
  const ask = async <Body>(call: ApiCall, key?: string): Promise<Body> => {
    const headers = { ...client.authorization, ...(key !== undefined && { 'idempotency-key': key }) }
    // In the journal it is a listing: an answer without a run.
    const attempt = { what: 'list', key: key ?? call.path, call: { ...call, headers }, expects: answers } as const
    const { status, text } = await client.insist(attempt)
    if (status > 299) throw new Error(`${call.method} ${call.path} was refused: ${status} ${text.slice(0, 300)}`)
    return JSON.parse(text) as Body
  }
  const get = <Body>(path: string): Promise<Body> => ask({ method: 'GET', path })
  const at = (id: string): string => `/v2/webhooks/${id}`
  return {
    create: (key, body) => ask({ method: 'POST', path: '/v2/webhooks', body }, key),
    get: (id) => get(at(id)),
    change: (id, body) => ask({ method: 'PATCH', path: at(id), body }),
    rotate: (id, body) => ask({ method: 'POST', path: `${at(id)}/rotate-secret`, body }),
    deliveries: async (id, query = '') =>
      (await get<{ data: WireDelivery[] }>(`${at(id)}/deliveries?limit=100${query}`)).data,
    delivery: (id, deliveryId) => get(`${at(id)}/deliveries/${deliveryId}`),
    redeliver: (key, id, deliveryId) =>
      ask({ method: 'POST', path: `${at(id)}/deliveries/${deliveryId}/redeliver` }, key),
    recover: (key, id, body) => ask({ method: 'POST', path: `${at(id)}/recover`, body }, key),
    recovery: (id, recoveryId) => get(`${at(id)}/recoveries/${recoveryId}`),
    missed: async (id, query = '') =>
      (await get<{ data: { id: string }[] }>(`${at(id)}/missed?limit=100${query}`)).data,
  }
}
