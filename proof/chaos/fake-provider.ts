import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { forbiddenScript, type MarkerScript, permittedScript, speechOf } from './marked-speech.ts'

/** A model vendor on loopback, over real HTTP, in the manner of OpenAI. It sees from its side what becomes of a call. */
export type FakeProvider = {
  /** For `ARS_MODELS_FILE`: it is the provider `fake`. */
  readonly modelsFile: string
  readonly url: string
  /** What it was asked, by the marks found in the conversations: `chaos:<mark>`. */
  calls(mark: string): readonly ProviderCall[]
  close(): Promise<void>
}

export type ProviderCall = {
  mark: string
  openedMs: number
  /** When the connection was gone, on the monotonic clock; undefined while it is there. */
  closedMs: number | undefined
  /** Pieces sent so far. */
  pieces: number
  isFinished: boolean
}

type Script = {
  pieces: number
  everyMs: number
  atOnce: number
  piece(n: number): string
}

/** 8 MiB in pieces that no other text has, so that a lost or doubled one is seen. */
const long: Omit<Script, 'everyMs'> = {
  pieces: 2048,
  atOnce: 8,
  piece: (n) => `${String(n).padStart(8, '0')} ${'abcdefghijklmno '.repeat(256)}`.slice(0, 4096),
}

/** `fake/forbidden` and `fake/permitted` say a text that is different for each mark, with a marker of their script in it. */
const scripts: Readonly<Record<string, MarkerScript>> = { forbidden: forbiddenScript, permitted: permittedScript }

/**
 * `fake/endless` says a word every 20 ms for as long as anybody listens. `fake/long` says 8 MiB, two in a second, and
 * `fake/steady` the same at a quarter of the pace, which many can follow on a small machine.
 */
const models: Readonly<Record<string, Script>> = {
  endless: { pieces: Number.POSITIVE_INFINITY, everyMs: 20, atOnce: 1, piece: (n) => `word-${n} ` },
  long: { ...long, everyMs: 16 },
  steady: { ...long, everyMs: 64 },
}

export const startFakeProvider = async ({
  host,
  port,
  modelsFile,
}: {
  host: string
  port: number
  modelsFile: string
}): Promise<FakeProvider> => {
  const calls: ProviderCall[] = []
  const server = createServer((request, response) => {
    text(request)
      .then((body) => answer(body, response, calls))
      .catch(() => response.destroy())
  })
  server.listen(port, host)
  await once(server, 'listening')
  const url = `http://${host}:${(server.address() as AddressInfo).port}/v1`
  writeFileSync(
    modelsFile,
    `providers:\n  fake:\n    kind: openai-compatible\n    base_url: ${url}\nmodels:\n  - model: fake/*\n    price_per_million: { input: 1, output: 1 }\n`,
  )
  return {
    modelsFile,
    url,
    calls: (mark) => calls.filter((call) => call.mark === mark),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const answer = async (body: string, response: ServerResponse, calls: ProviderCall[]): Promise<void> => {
  const { model = '' } = JSON.parse(body) as { model?: string }
  const [, mark = ''] = /chaos:([\w/.-]+)/.exec(body) ?? []
  const marker = scripts[model]
  const nth = calls.filter((call) => call.mark === mark).length + 1
  const script = marker ? spoken(marker, mark, nth) : models[model]
  if (!script) {
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: `no model ${model}`, type: 'invalid_request_error' } }))
    return
  }
  const call: ProviderCall = { mark, openedMs: performance.now(), closedMs: undefined, pieces: 0, isFinished: false }
  calls.push(call)
  const gone = new Promise<void>((resolve) => {
    response.once('close', () => {
      call.closedMs = performance.now()
      resolve()
    })
  })
  const isGone = (): boolean => call.closedMs !== undefined
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (; call.pieces < script.pieces && !isGone(); call.pieces++) {
    const isTaken = response.write(chunkOf(model, { content: script.piece(call.pieces) }, null))
    if (!isTaken && !isGone()) await Promise.race([new Promise((resolve) => response.once('drain', resolve)), gone])
    if ((call.pieces + 1) % script.atOnce === 0) await sleep(script.everyMs)
  }
  if (isGone()) return
  const usage = { prompt_tokens: 10, completion_tokens: call.pieces, total_tokens: call.pieces + 10 }
  response.write(chunkOf(model, {}, 'stop'))
  response.write(`data: ${JSON.stringify({ ...frame(model), choices: [], usage })}\n\n`)
  call.isFinished = true
  response.end('data: [DONE]\n\n')
}

const spoken = (marker: MarkerScript, mark: string, nth: number): Script => {
  const { pieces, ...pace } = speechOf(marker, mark, nth)
  return { ...pace, pieces: pieces.length, piece: (n) => pieces[n] ?? '' }
}

const frame = (model: string) => ({ id: 'chatcmpl-chaos', object: 'chat.completion.chunk', created: 0, model })

const chunkOf = (model: string, delta: { content?: string }, finish: string | null): string => {
  const choices = [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: finish }]
  return `data: ${JSON.stringify({ ...frame(model), choices })}\n\n`
}
