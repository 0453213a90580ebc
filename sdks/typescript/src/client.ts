import { systemClock } from './clock.ts'
import { AgentRunServiceError } from './errors.ts'
import { Resources, sdkVersion } from './generated/resources.ts'
import type { ClientOptions, Fetch } from './options.ts'
import { createTransport } from './request.ts'

const defaults = { baseUrl: 'https://localhost:8443/v2', maxRetries: 2, timeoutMs: 60_000 } as const

/**
 * The client: `client.runs.create({ agent_id, input })`. One method for each operation that an API key may call. The
 * key is held in a closure, so that printing the client does not show it.
 */
export class AgentRunService extends Resources {
  readonly baseUrl: string

  constructor(options: ClientOptions = {}) {
    const apiKey = checkedKey(options.apiKey ?? environment().ARS_API_KEY)
    const baseUrl = checkedUrl(options.baseUrl ?? environment().ARS_BASE_URL ?? defaults.baseUrl)
    const { clock = systemClock, maxRetries = defaults.maxRetries, timeoutMs = defaults.timeoutMs } = options
    // Looked up at each call, because some programs replace it later.
    const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
    const userAgent = nodeVersion() && `agent-run-service-sdk/${sdkVersion} node/${nodeVersion()}`
    const transport = createTransport({ apiKey, baseUrl, fetch, maxRetries, timeoutMs, clock, userAgent })
    super({ transport, clock, timeoutMs, newKey: () => crypto.randomUUID() })
    this.baseUrl = baseUrl
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
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

type Environment = { ARS_API_KEY?: string; ARS_BASE_URL?: string }

/** Browsers have no environment. */
const environment = (): Environment => (globalThis as { process?: { env?: Environment } }).process?.env ?? {}

const nodeVersion = (): string | undefined =>
  (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node
