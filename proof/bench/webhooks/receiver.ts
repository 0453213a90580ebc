import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { buffer } from 'node:stream/consumers'
import { verify } from '../../lab/client/webhook-signature.ts'
import { quantile } from '../../lab/measure/statistics.ts'
import type { ReceiverMetrics, ToReceiver } from './protocol.ts'

// Acknowledges whatever comes, as soon as it was read. It verifies few signatures, because it is not measured.
const { RECEIVER_HOSTS: hosts, RECEIVER_PORT: port, RECEIVER_SECRET: secret } = process.env
const { RECEIVER_CERT_FILE: certFile, RECEIVER_KEY_FILE: keyFile } = process.env
if (!hosts || !port || !secret || !certFile || !keyFile) throw new Error('the receiver was not told what it is')
const verifyEvery = 20

let [posts, verified, untrue] = [0, 0, 0]
let postsInAll = 0
let lags: number[] = []
let body = Buffer.alloc(0)
let headers: Record<string, string> = {}

const take = async (request: IncomingMessage): Promise<void> => {
  body = await buffer(request)
  headers = request.headers as Record<string, string>
  const now = Date.now()
  posts++
  postsInAll++
  const [, createdAt] = /"created_at":"([^"]+)"/.exec(body.subarray(0, 200).toString('latin1')) ?? []
  if (createdAt) lags.push(now - Date.parse(createdAt))
  if (posts % verifyEvery !== 0) return
  verified++
  const { plain, standard } = verify([secret ?? ''], headers, body)
  if (plain.length === 0 || standard.length === 0) untrue++
}

const options = { cert: readFileSync(certFile), key: readFileSync(keyFile), keepAliveTimeout: 120_000 }
let listening = 0
for (const host of hosts.split(',')) {
  https
    .createServer(options, (request, response) => {
      take(request).then(
        () => response.writeHead(200, { 'content-length': 0 }).end(),
        () => response.destroy(),
      )
    })
    .listen({ host, port: Number(port) }, () => {
      if (++listening === hosts.split(',').length) process.send?.('ready')
    })
}

process.on('message', (message: ToReceiver) => {
  if (message.kind === 'reset') {
    ;[posts, verified, untrue] = [0, 0, 0]
    lags = []
    process.send?.('reset')
    return
  }
  const lagMs = { p50: quantile(lags, 0.5), p99: quantile(lags, 0.99), most: quantile(lags, 1) }
  const last = { body: body.toString('utf8'), headers }
  process.send?.({ posts, postsInAll, verified, untrue, lagMs, ...last } satisfies ReceiverMetrics)
})
process.on('disconnect', () => process.exit(0))
