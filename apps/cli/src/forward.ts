import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { version } from './version.ts'

export type Forwarded = { status: number | null; durationMs: number; error: string | null }

/**
 * One POST to the local program, as a delivery would be: no redirect is followed, and the whole answer must come in time.
 * Each has a connection of its own, because a program under development is restarted all the time.
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
    if (late.aborted) return tell(null, `no answer within ${timeoutMs / 1_000} s`)
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
  status >= 300 && status < 400 ? 'a redirect is not followed' : 'only 2xx acknowledges'

/** Where a name has several addresses the error holds one for each, and no words of its own. */
const messageOf = (error: Refused | AggregateError): string => {
  const { code, message, address, port } = (error instanceof AggregateError ? error.errors.at(-1) : error) as Refused
  if (code === 'ECONNREFUSED') return `nothing listens at ${address}:${port}`
  return message || code || 'the connection failed'
}

type Refused = NodeJS.ErrnoException & { address?: string; port?: number }
