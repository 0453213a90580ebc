import { readFileSync } from 'node:fs'
import { plans } from '@ars/contract'
import { fromUuid, toUuid } from '@ars/platform/id'
import { type ApiCaller, apiCaller } from '../../lab/client/api-caller.ts'
import { openSql, type Sql } from '../../lab/stack/sql.ts'
import { startTemporaryStack, type TemporaryStack } from '../../lab/stack/temporary-stack.ts'
import { type AttackCounts, forgery, openAttacker } from './attacker.ts'
import { type Customer, playTraffic, type Seen } from './traffic.ts'

export type RedisFindings = {
  seconds: number
  gateways: number
  counts: AttackCounts
  heard: { messages: number; words: string[] }
  seen: Pick<Seen, 'throttled' | 'failures'> & { answers: number; streams: number; runs: number }
  /** Requests of a key with the demo plan that passed, and how many may pass at worst. */
  limited: { passed: number; most: number }
  refusedMessages: number
  breaches: string[]
}

const gateways = 2

/** Plays a program with full write access to Redis against all that depends on Redis. */
export const attackRedis = async (
  { isFull }: { isFull: boolean },
  tell: (words: string) => void,
): Promise<RedisFindings> => {
  const seconds = isFull ? 60 : 12
  const temporary = await startTemporaryStack('redis-attack')
  const { stack, seed } = temporary
  const records = openSql(stack.postgres.superuserUrl('ars'))
  const attacker = await openAttacker(stack.redis.url(), `redis-${seconds}`)
  const callers: ApiCaller[] = []
  try {
    const servers = [
      stack.server({ role: 'gateway', index: 1 }),
      stack.server({ role: 'gateway', index: 2 }),
      stack.server({ role: 'worker' }),
    ]
    await Promise.all(servers.map((server) => server.start()))
    const ca = readFileSync(stack.tls.certFile)
    for (const port of stack.ports.gateway.slice(0, gateways)) callers.push(apiCaller({ port, ca }))
    const demoKey = await makeDemoKey(temporary)
    const customer = { callers, key: seed.api_key, agentId: temporary.agentId }
    const over = new AbortController()
    tell(`${seconds} s of traffic while Redis is attacked`)
    setTimeout(() => over.abort(), seconds * 1_000)
    const [seen, passed] = await Promise.all([
      playTraffic(customer, over.signal),
      countPassed(callers, demoKey, over.signal),
      attacker.attack(over.signal),
    ])
    const refusedMessages = await sumOfMetric(
      servers.map(({ metricsUrl }) => metricsUrl),
      'ars_redis_messages_refused_total',
    )
    const { requestsPerMinute, burst } = plans.demo
    // The plan's limit for each gateway, and one request more, for the time that a question to Redis takes.
    const most = gateways * (burst + 2 + Math.ceil((requestsPerMinute * (seconds + 5)) / 60))
    const heard = attacker.heard(['WHISPERED', '"output"', '"delta"'])
    const found = { seconds, gateways, counts: attacker.counts, heard, limited: { passed, most }, refusedMessages }
    const breaches = [
      ...(await compare(customer, records, seen)),
      ...seen.failures,
      ...heard.words.map((word) => `Redis sees ${word}`),
      ...(passed > most ? [`${passed} requests of a demo key passed, at most ${most} may`] : []),
      ...(await Promise.all(servers.map(async (server) => (server.pid() ? [] : ['a process ended'])))).flat(),
    ]
    const { answers, streams, runs } = seen
    return {
      ...found,
      seen: { ...seen, answers: answers.length, streams: streams.length, runs: runs.length },
      breaches,
    }
  } finally {
    attacker.close()
    for (const caller of callers) caller.close()
    await records.close()
    await temporary.dispose({ keepFiles: false })
  }
}

/** Byte for byte what Postgres holds, read when nobody interferes. */
const compare = async (customer: Customer, records: Sql, seen: Seen): Promise<string[]> => {
  const breaches: string[] = []
  const headers = { authorization: `Bearer ${customer.key}` }
  const read = async (path: string, accept: string): Promise<string> => {
    for (let tries = 0; tries < 100; tries++) {
      const [caller] = customer.callers
      const answer = await caller?.call({ method: 'GET', path, headers: { ...headers, accept } })
      if (answer?.status === 200) return answer.text
      // A forged answer may name a run that does not exist.
      if (answer?.status === 404) return 'there is no such run'
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error(`${path} cannot be read`)
  }
  for (const { id, expected, text } of seen.answers) {
    const truth = await read(`/v2/runs/${id}`, 'application/json')
    if (text !== truth) breaches.push(`the answer of ${id} differs: ${text.slice(0, 300)}`)
    if (text.includes(forgery)) breaches.push(`the answer of ${id} is forged`)
    if (expected !== null && !text.includes(expected)) breaches.push(`the answer of ${id} is not its own`)
  }
  for (const { id, text } of seen.streams) {
    const truth = await read(`/v2/runs/${id}/stream`, 'text/event-stream')
    if (framesOf(text) !== framesOf(truth)) breaches.push(`the stream of ${id} differs`)
    if (text.includes(forgery)) breaches.push(`the stream of ${id} is forged`)
  }
  // The last approvals may still be on their way.
  for (let tries = 0; tries < 300; tries++) {
    const [open] = await records.query<{ n: string }>('select count(*) as n from run_heads')
    if (open?.n === '0') break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const ended = await records.query<{ run_id: string; status: string }>('select run_id, status from run_results')
  const statuses = new Map(ended.map(({ run_id, status }) => [run_id, status]))
  for (const id of seen.runs) {
    const status = id === 'run_forged' ? 'forged' : statuses.get(toUuid(id))
    if (status !== 'completed') breaches.push(`run ${id} is ${status ?? 'still open'}`)
  }
  return breaches
}

/** Without heartbeats, which depend on the moment. */
const framesOf = (text: string): string =>
  text
    .split('\n\n')
    .filter((block) => block.startsWith('id: '))
    .join('\n\n')

const makeDemoKey = async ({ stack, seed }: TemporaryStack): Promise<string> => {
  const org = fromUuid('org', (seed as { organisation?: string }).organisation ?? '')
  const words = ['admin', 'create-key', '--org', org, '--name', 'limited', '--demo', '--json']
  return (JSON.parse(await stack.command(words)) as { api_key: string }).api_key
}

/** Requests of the key that are not refused, as fast as one client asks each gateway in turn. */
const countPassed = async (callers: readonly ApiCaller[], key: string, signal: AbortSignal): Promise<number> => {
  let passed = 0
  const ask = async (caller: ApiCaller): Promise<void> => {
    while (!signal.aborted) {
      const answer = await caller
        .call({ method: 'GET', path: '/v2/agents', headers: { authorization: `Bearer ${key}` } })
        .catch(() => null)
      if (answer && answer.status !== 429) passed++
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  await Promise.all(callers.map(ask))
  return passed
}

const sumOfMetric = async (urls: readonly string[], name: string): Promise<number> => {
  const pages = await Promise.all(
    urls.map((url) =>
      fetch(`${url}/metrics`)
        .then((page) => page.text())
        .catch(() => ''),
    ),
  )
  const lines = pages.flatMap((page) => page.split('\n')).filter((line) => line.startsWith(`${name} `))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
