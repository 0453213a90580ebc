import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { version } from './version.ts'

export type Forwarded = { status: number | null; durationMs: number; error: string | null }

/**
 * One POST to the local program, like a delivery: redirects are not followed, and the whole response must arrive in
 * time. Each uses a new connection, because a program under development restarts often.
 */
export const forward = async ({ url, body, headers, timeoutMs, signal }: Post): Promise<Forwarded> => {
  const begun = performance.now()
  const late = AbortSignal.timeout(timeoutMs)
  const tell = (status: number | null, error: string | null): Forwarded => {
    return { status, durationMs: Math.round(performance.now() - begun), error }
  }
  try {
    const status = await post({ url, body, headers, signal: AbortSignal.any([signal, late]) })
    return tell(status, status >= 200 && status < 300 ? null : wordsFor(status))
  } catch (error) {
    if (signal.aborted) return tell(null, 'interrupted')
    if (late.aborted) return tell(null, `no response within ${timeoutMs / 1_000} s`)
    return tell(null, messageOf(error as NodeJS.ErrnoException))
  }
}

type Post = { url: URL; body: string; headers: Record<string, string>; timeoutMs: number; signal: AbortSignal }

const post = ({ url, body, headers, signal }: Omit<Post, 'timeoutMs'>): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp
    const bytes = Buffer.from(body)
    const outgoing = request(url, {
      method: 'POST',
      agent: false,
      signal,
      headers: {
        'content-type': 'application/json',
        'content-length': bytes.length,
        'user-agent': `ars-listen/${version}`,
        ...headers,
      },
    })
    outgoing.on('error', reject)
    outgoing.on('response', (answer) => {
      answer.on('error', reject)
      answer.on('end', () => resolve(answer.statusCode ?? 0))
      answer.resume()
    })
    outgoing.end(bytes)
  })

const wordsFor = (status: number): string =>
  status >= 300 && status < 400 ? 'redirects are not followed' : 'only 2xx acknowledges an event'

/** For a name with several addresses the error contains one error per address and no message. */
const messageOf = (error: Refused | AggregateError): string => {
  const { code, message, address, port } = (error instanceof AggregateError ? error.errors.at(-1) : error) as Refused
  if (code === 'ECONNREFUSED') return `connection refused at ${address}:${port}`
  return message || code || 'the connection failed'
}

type Refused = NodeJS.ErrnoException & { address?: string; port?: number }
