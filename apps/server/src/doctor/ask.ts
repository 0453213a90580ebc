import { request as overHttp } from 'node:http'
import { request as overTls } from 'node:https'

/** A request of a command to an address that its operator names, so nothing is checked before. Rejects if no answer comes within the time. */
export const ask = (
  url: string,
  { maxMs, json }: { maxMs: number; json?: unknown },
): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? overTls : overHttp
    const body = json === undefined ? undefined : JSON.stringify(json)
    const asked = request(
      url,
      {
        method: body === undefined ? 'GET' : 'POST',
        signal: AbortSignal.timeout(maxMs),
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
      },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk: string) => {
          text += chunk
        })
        answer.on('error', reject)
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
