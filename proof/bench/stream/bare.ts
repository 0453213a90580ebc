import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import https from 'node:https'
import type { Writable } from 'node:stream'
import { bareRunId, type FromBare, speech, streamsPerConnection, type ToBare } from './protocol.ts'

// The control: what a gateway does for its streams and nothing else. No keys, no limits, no database; a frame is made once
// for each run and written to all who watch it, as the gateway does it, with the same bytes and the same headers.
const { BARE_H1_PORT: h1Port, BARE_H2_PORT: h2Port, BARE_CERT_FILE: certFile, BARE_KEY_FILE: keyFile } = process.env
if (!h1Port || !h2Port || !certFile || !keyFile) throw new Error('the control was not told where to listen')
const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) }
const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

type BareRun = {
  id: string
  seq: number
  watchers: Set<Writable>
}

let runs: BareRun[] = []
let isSpeaking = false

https
  .createServer(tls, (request, response) => {
    const run = runAt(request.url)
    response.writeHead(200, { ...headers, 'x-run-id': run.id })
    watch(run, response)
  })
  .listen({ host: '127.0.0.1', port: Number(h1Port) })

http2
  .createSecureServer({ ...tls, settings: { maxConcurrentStreams: streamsPerConnection } })
  .on('stream', (stream, request) => {
    const run = runAt(request[':path'])
    stream.respond({ ':status': 200, ...headers, 'x-run-id': run.id })
    watch(run, stream)
  })
  .listen({ host: '127.0.0.1', port: Number(h2Port) }, () => process.send?.({ kind: 'ready' } satisfies FromBare))

const runAt = (path: string | undefined): BareRun => {
  const at = Number(/^\/runs\/(\d+)\//.exec(path ?? '')?.[1])
  runs[at] ??= { id: bareRunId(at), seq: 0, watchers: new Set() }
  return runs[at]
}

const watch = (run: BareRun, watcher: Writable): void => {
  run.watchers.add(watcher)
  watcher.on('error', () => undefined)
  watcher.once('close', () => run.watchers.delete(watcher))
  watcher.write('retry: 3000\n\n')
}

// Each run speaks once a second, and those of one tick together: the worker of the service gathers what it stores in
// ticks of this length, and what comes together is cheaper to send.
const tickMs = 50
const ticksPerSecond = 1000 / tickMs
let tick = 0
setInterval(() => {
  tick = (tick + 1) % ticksPerSecond
  if (isSpeaking) for (let at = tick; at < runs.length; at += ticksPerSecond) speak(runs[at])
}, tickMs)

const text = 'abcdefghijklmnopqrstuvwxyz0123456789'.slice(0, speech.chunk_chars)

const speak = (run: BareRun | undefined): void => {
  if (run) say(run, 'run.output.delta', { step: 1, delta: text })
}

const say = (run: BareRun, type: string, more: Record<string, unknown>): void => {
  const seq = ++run.seq
  const data = JSON.stringify({ type, run_id: run.id, created_at: new Date().toISOString(), ...more })
  const frame = `id: ${seq}\nevent: ${type}\ndata: ${data}\n\n`
  for (const watcher of run.watchers) watcher.write(frame)
}

process.on('message', (message: ToBare) => {
  if (message.kind === 'speak') {
    isSpeaking = message.isOn
    return
  }
  isSpeaking = false
  for (const run of runs) {
    say(run, 'run.cancelled', {})
    for (const watcher of run.watchers) watcher.end()
  }
  process.send?.({ kind: 'ended', lastIds: runs.map(({ seq }) => seq) } satisfies FromBare)
  runs = []
})
process.on('disconnect', () => process.exit(0))
