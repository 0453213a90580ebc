import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiAnswer, ApiCaller } from '../../lab/client/api-caller.ts'
import type { Random } from '../../lab/random.ts'
import { orderOfSteps } from '../load.ts'
import { getRun, isFine } from '../run-client.ts'
import { claim, measured, type Stage, scenario } from '../scenario.ts'

type Size = {
  keys: number
  clients: number
}

type Told = {
  key: string
  /** Every whole answer, in order. */
  answers: ApiAnswer[]
  cut: number
  attempts: number
}

const maxRetries = 5

/** Send, lose the connection at some byte of the answer, send again. */
export const retries = scenario<Size>({
  name: 'R1',
  promise: 'A retry with the same key has one effect, at whichever byte the first connection was cut.',
  sizes: { ci: { keys: 200, clients: 12 }, full: { keys: 2000, clients: 24 } },
  play: async (stage, size) => {
    const { fleet, random, say } = stage
    const edges = (['gateway-1', 'gateway-2'] as const).map((called) => fleet.edges.edge('client', called))
    const callers = edges.map((edge, at) => fleet.caller(at, { host: edge.host, keepAlive: false }))
    const told: Told[] = []
    const keys = Array.from({ length: size.keys }, (_, n) => stage.key(n))
    try {
      const wholeBytes = await measureAnswer(stage, callers)
      const dice = random.fork('cuts')
      // Connections are told apart only by chance here; seven in ten are cut, some before the request has even left.
      for (const edge of edges) {
        edge.plan(() => (dice.next() < 0.7 ? { cutDownAfterBytes: cutPoint(dice, wholeBytes) } : {}))
      }
      const client = async (): Promise<void> => {
        for (let key = keys.shift(); key !== undefined; key = keys.shift()) {
          told.push(await insistOn(stage, key, callers))
          say(`${told.length} keys`)
        }
      }
      await Promise.all(Array.from({ length: size.clients }, client))
      for (const edge of edges) edge.plan(null)
      for (const each of told) each.answers.push(await askOnceMore(stage, each.key))
    } finally {
      for (const edge of edges) edge.plan(null)
      for (const caller of callers) caller.close()
    }
    return judge(stage, told)
  },
})

/** How many bytes a connection carries for one whole answer, its handshake included. */
const measureAnswer = async (stage: Stage, callers: readonly ApiCaller[]): Promise<number> => {
  const { fleet } = stage
  for (const name of ['first', 'second']) {
    const order = orderOfSteps(fleet, stage.key(`measured-${name}`), { input: { steps: 1 }, prefer: 'wait=10' })
    const { attempt, toCall } = fleet.client
    await attempt(0, { what: 'create', key: order.key, call: toCall(order) }, callers[0])
    await sleep(200)
  }
  return fleet.edges.edge('client', 'gateway-1').lastClosed().down
}

/** Mostly inside the answer; at times inside the handshake, so that the request never left. */
const cutPoint = (dice: Random, wholeBytes: number): number =>
  dice.next() < 0.15 ? dice.whole(0, wholeBytes) : dice.whole(Math.floor(wholeBytes * 0.4), wholeBytes - 1)

const insistOn = async (stage: Stage, key: string, callers: readonly ApiCaller[]): Promise<Told> => {
  const { attempt } = stage.fleet.client
  const dice = stage.random.fork(key)
  const order = orderOf(stage, key)
  const told: Told = { key, answers: [], cut: 0, attempts: 0 }
  const first = dice.whole(0, 1)
  for (let tries = 0; tries <= maxRetries; tries++) {
    const gateway = (first + tries) % 2
    const call = stage.fleet.client.toCall(order)
    told.attempts++
    const answer = await attempt(gateway, { what: 'create', key, call, isSabotaged: true }, callers[gateway])
    if (answer && isFine(answer)) told.answers.push(answer)
    else told.cut++
    // A client that has its answer may still send again: it does not know that it will not be cut.
    if (answer && dice.next() < 0.6) break
    await sleep(dice.whole(10, 60 * (tries + 1)))
  }
  return told
}

const orderOf = (stage: Stage, key: string) => {
  const delayMs = stage.random.fork(`delay/${key}`).whole(0, 80)
  return orderOfSteps(stage.fleet, key, { input: { steps: 1, delay_ms: delayMs }, prefer: 'wait=10' })
}

const askOnceMore = async (stage: Stage, key: string): Promise<ApiAnswer> => {
  const { insist, toCall } = stage.fleet.client
  return insist({ what: 'create', key, call: toCall(orderOf(stage, key)) })
}

const judge = async (stage: Stage, told: readonly Told[]) => {
  const records = await stage.records()
  const runs = records.runs.filter(({ key }) => !key?.includes('measured'))
  const effects = stage.ledgerOf({ ...records, runs })
  const perRun = Map.groupBy(effects, ({ run_id }) => run_id)
  const perKey = <Found>(check: (each: Told) => Found[]): Found[] => told.flatMap(check)
  return {
    metrics: [
      ['keys', told.length],
      ['requests', told.reduce((sum, { attempts }) => sum + attempts, 0)],
      ['requests that got no whole answer', told.reduce((sum, { cut }) => sum + cut, 0)],
      ['keys whose first request got none', told.filter(({ cut }) => cut > 0).length],
      ['runs', runs.length],
      ['side effects', effects.length],
    ] as const,
    claims: [
      claim('the number of runs is the number of keys', runs.length === told.length, `${runs.length} runs`),
      claim(
        'as many side effects as keys',
        effects.length === told.length && perRun.size === told.length,
        `${effects.length}`,
      ),
      {
        says: 'all answers to a key name one run',
        violations: perKey(({ key, answers }) => {
          const ids = new Set(answers.map((answer) => getRun(answer).id))
          return ids.size === 1 ? [] : [`${key}: ${[...ids].join(', ')}`]
        }),
      },
      {
        says: 'once the run has ended, its answers are equal to the last byte',
        violations: perKey(({ key, answers }) => {
          const ended = answers.map(getRun).filter(({ status }) => status === 'completed')
          return new Set(ended.map(({ text }) => text)).size === 1
            ? []
            : [`${key}: ${ended.length} ended answers differ`]
        }),
      },
      {
        says: 'every answer but the first says Idempotency-Replayed: true',
        violations: perKey(({ key, answers, cut }) => {
          const marked = answers.map((answer) => getRun(answer).isReplayed)
          const isRight = marked.slice(1).every(Boolean) && (marked[0] === false || cut > 0)
          return isRight ? [] : [`${key}: ${marked.join(', ')} after ${cut} cuts`]
        }),
      },
      measured(
        'at least a quarter of the keys lost an answer',
        told.filter(({ cut }) => cut > 0).length * 4 >= told.length,
        'too few connections were cut',
      ),
    ],
  }
}
