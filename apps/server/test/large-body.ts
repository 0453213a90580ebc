import { readFileSync } from 'node:fs'
import { stackFacts } from '@ars/testkit/stack'
import { Agent, request } from 'undici'
import type { App, Tenant } from './app.ts'

/** Over HTTP/1.1: the client for HTTP/2 gives up a connection when it has queued more than 10 MB. */
export const sendLarge = async (app: App, tenant: Tenant, path: string, body: string) => {
  const dispatcher = new Agent({ allowH2: false, connect: { ca: readFileSync(stackFacts().tls.certFile) } })
  const answer = await request(app.url + path, {
    method: 'POST',
    dispatcher,
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body,
  })
  const text = await answer.body.text()
  await dispatcher.close()
  return { status: answer.statusCode, body: JSON.parse(text) }
}
