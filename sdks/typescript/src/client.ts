import { type Answered, type ApiCall, apiCall } from './api-call.ts'
import { type BatchHelpers, batchHelpers } from './batch-waiting.ts'
import { systemClock } from './clock.ts'
import { AgentRunServiceError } from './errors.ts'
import { type Batches, Resources, type Runs, sdkVersion, type Webhooks } from './generated/resources.ts'
import { anyRequestOf } from './invocation.ts'
import { createLog, type Logger, type LogLevel, logLevels } from './log.ts'
import type { ClientOptions, Fetch, RequestOptions } from './options.ts'
import { createTransport, type Transport } from './request.ts'
import { type RunHelpers, runHelpers } from './run-waiting.ts'
import { verifyWebhook } from './webhook.ts'
import { webhookHandler } from './webhook-handler.ts'
import { signWebhook } from './webhook-sign.ts'

const defaults = { baseUrl: 'https://localhost:8443/v2', maxRetries: 2, timeoutMs: 60_000 } as const

/** What the client adds to the operations of webhooks. */
export type WebhookHelpers = {
  /** The same as `verifyWebhook`. */
  unwrap: typeof verifyWebhook
  /** The same as `webhookHandler`. */
  handler: typeof webhookHandler
  /** The same as `signWebhook`. */
  sign: typeof signWebhook
}

/**
 * The client: `client.runs.create({ agent_id, input })`. One method for each operation of the API. The key is held in a
 * closure, so that printing the client does not show it.
 */
export class AgentRunService extends Resources {
  readonly baseUrl: string
  readonly #transport: Transport
  declare readonly batches: Batches & BatchHelpers
  declare readonly runs: Runs & RunHelpers
  declare readonly webhooks: Webhooks & WebhookHelpers

  constructor(options: ClientOptions = {}) {
    const apiKey = options.auth === 'cookie' ? undefined : checkedKey(options.apiKey ?? environment().ARS_API_KEY)
    const baseUrl = checkedUrl(options.baseUrl ?? environment().ARS_BASE_URL ?? usualUrl(options))
    const { clock = systemClock, maxRetries = defaults.maxRetries, timeoutMs = defaults.timeoutMs } = options
    const { defaultHeaders = {}, organisation } = options
    // Looked up at each call, because some programs replace it later.
    const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
    const userAgent = nodeVersion() && `agent-run-service-sdk/${sdkVersion} node/${nodeVersion()}`
    const log = logOf(options)
    const expected = typeof organisation === 'function' ? organisation : () => organisation
    const settings = { apiKey, baseUrl, defaultHeaders, expected, fetch, maxRetries, timeoutMs, clock, log, userAgent }
    const transport = createTransport(settings)
    super({ transport, clock, log, timeoutMs, newKey: () => crypto.randomUUID() })
    this.baseUrl = baseUrl
    this.#transport = transport
    Object.assign(this.batches, batchHelpers(this.batches, clock))
    Object.assign(this.runs, runHelpers(this.runs))
    Object.assign(this.webhooks, {
      unwrap: verifyWebhook,
      handler: webhookHandler,
      sign: signWebhook,
    } satisfies WebhookHelpers)
  }

  /**
   * Sends a request that no method covers, with the credential, the retries and the errors of all calls. Returns the
   * parsed body (text if it is not JSON, null if it is empty); `.withResponse()` returns status and headers too.
   */
  request<Data = unknown>(request: RequestOptions): ApiCall<Data> {
    return apiCall(this.#transport.readAny(anyRequestOf(request)) as Promise<Answered<Data>>)
  }
}

const checkedKey = (key: string | undefined): string => {
  if (!key) throw new AgentRunServiceError('The API key is missing. Pass `apiKey` or set ARS_API_KEY.')
  // Checked here without quoting the key; the error of the platform would contain it.
  if (!/^[!-~]+$/.test(key)) throw new AgentRunServiceError('The API key contains an invalid character.')
  return key
}

const checkedUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) throw new AgentRunServiceError('baseUrl must be an absolute URL, such as https://agents.example.com/v2.')
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal)) {
    throw new AgentRunServiceError('baseUrl must begin with https://, because the key must not be sent unencrypted.')
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new AgentRunServiceError('baseUrl must not contain credentials, a query or a fragment.')
  }
  const path = url.pathname.replace(/\/+$/, '')
  return `${url.origin}${path === '' ? '/v2' : path}`
}

/** A page with the session cookie calls its own origin. */
const usualUrl = ({ auth }: ClientOptions): string => {
  const { location } = globalThis as { location?: { origin: string } }
  return auth === 'cookie' && location ? location.origin : defaults.baseUrl
}

const logOf = ({ logger, logLevel }: ClientOptions): Logger => {
  const wanted = environment().ARS_LOG
  const level: LogLevel | undefined = logLevel ?? logLevels.find((each) => each === wanted)
  return createLog(logger ?? console, level ?? (logger ? 'info' : 'off'))
}

type Environment = { ARS_API_KEY?: string; ARS_BASE_URL?: string; ARS_LOG?: string }

/** Browsers have no environment. */
const environment = (): Environment => (globalThis as { process?: { env?: Environment } }).process?.env ?? {}

const nodeVersion = (): string | undefined =>
  (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node
