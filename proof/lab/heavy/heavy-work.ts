import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ApiCaller } from '../client/api-caller.ts'
import type { Organisation } from '../stack/organisation.ts'
import { type Load, policiesOf } from './loads.ts'
import type { Order, Tally } from './sender.ts'

/** Policies are in force after this time. */
const inForceMs = 6_000

/** For the environment of a server: notes long turns of its event loop in a file. */
export const loopWatch = (file: string): NodeJS.ProcessEnv => ({
  LOOP_WATCH_FILE: file,
  NODE_OPTIONS: `--import ${new URL('loop-watch.ts', import.meta.url).href}`,
})

/** Saves the rules and the pipeline of a load, and waits until they are in force. */
export const prepareLoad = async (
  caller: ApiCaller,
  enemy: Organisation,
  { name, rules, definition }: Load,
): Promise<{ agentId: string; pipelineId: string }> => {
  const post = (path: string, body: unknown) => make(caller, enemy.apiKey, path, body)
  const agentId = enemy.agentId('test-echo')
  for (const [at, some] of policiesOf(rules).entries()) {
    const { id } = await post('/policies', { name: `policy ${at}`, rules: some })
    await post(`/policies/${id}/attachments`, { subject_id: agentId })
  }
  const pipelineId = definition
    ? String((await post('/pipelines', { name: `heavy ${name}`, definition: definition(agentId) })).id)
    : ''
  await sleep(inForceMs)
  return { agentId, pipelineId }
}

/** As often as it takes. */
export const make = async (
  caller: ApiCaller,
  key: string,
  path: string,
  body: unknown,
): Promise<Record<string, unknown>> => {
  for (;;) {
    const call = { method: 'POST', path: `/v2${path}`, headers: { authorization: `Bearer ${key}` }, body } as const
    const { status, text } = await caller.call(call, { timeoutMs: 120_000 })
    if (status < 300) return JSON.parse(text)
    if (status !== 429 && status !== 503) throw new Error(`POST ${path} was answered ${status}: ${text.slice(0, 300)}`)
    await sleep(1_000)
  }
}

const senderFile = fileURLToPath(new URL('sender.ts', import.meta.url))

/** Sends the load from a separate process, until the answer is called. */
export const startSender = (order: Order): (() => Promise<Tally>) => {
  const sender = fork(senderFile)
  sender.send(order)
  return async () => {
    const over = once(sender, 'message')
    sender.send('stop')
    const [tally] = (await over) as [Tally]
    return tally
  }
}

/** In CPU milliseconds of its thread. */
export const longestTurn = (file: string, sinceMs: number): number => {
  if (!existsSync(file)) return 0
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const turns = lines.flatMap((line) => {
    const [atMs = 0, ms = 0] = line.split(' ').map(Number)
    return atMs >= sinceMs ? [ms] : []
  })
  return Math.max(0, ...turns)
}
