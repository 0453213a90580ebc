import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid } from '@ars/platform/id'
import type { ApiAnswer, ApiCall } from '../../lab/client/api-caller.ts'
import type { RunOrder } from '../run-client.ts'
import { claim, type Stage, scenario } from '../scenario.ts'

type Size = {
  runs: number
  messagesPerRun: number
  /** The last run gets this many before its limit is tested; below 2,000 the counter is advanced by hand. */
  limitBy: 'hand' | 'messages'
}

type Sent = {
  key: string
  runId: string
  type: string
  answers: ApiAnswer[]
}

const maxActions = 2000
const retriedShare = 0.2

/** Decisions and messages, some sent again, some too late, some to nobody. */
export const actions = scenario<Size>({
  name: 'R11',
  promise:
    'An action reaches an active run once; an ended run refuses it, an unknown run is not found, and there is a limit.',
  sizes: {
    ci: { runs: 40, messagesPerRun: 6, limitBy: 'hand' },
    full: { runs: 625, messagesPerRun: 7, limitBy: 'messages' },
  },
  play: async (stage, size) => {
    const { fleet, random, say } = stage
    const { client } = fleet
    const sent: Sent[] = []
    const orders: RunOrder[] = Array.from({ length: size.runs }, (_, n) => ({
      key: stage.key(n),
      agentId: fleet.agentId('test-approval'),
      input: { message: `May I, ${n}?` },
      prefer: 'wait=10',
    }))
    const runs: { order: RunOrder; id: string; lateAnswers: ApiAnswer[] }[] = []
    const playRun = async (order: RunOrder): Promise<void> => {
      const dice = random.fork(order.key)
      const asked = await client.accept(order)
      const { id } = await client.awaitEnd(order, asked.id, ({ status }) => status === 'requires_action')
      const bodies = [
        ...Array.from({ length: size.messagesPerRun }, (_, n) => message(`${order.key} ${n}`)),
        // Half of the decisions come before some of the messages.
      ]
      for (const [n, body] of bodies.entries()) {
        sent.push(
          await act(stage, { runId: id, key: `${order.key}/m${n}`, body, isRetried: dice.next() < retriedShare }),
        )
      }
      sent.push(
        await act(stage, {
          runId: id,
          key: `${order.key}/approve`,
          body: { type: 'approve', comment: 'yes' },
          isRetried: dice.next() < retriedShare,
        }),
      )
      await client.awaitEnd(order, id)
      const lateAnswers = [
        await actOnce(stage, { runId: id, key: `${order.key}/late`, body: message('too late'), expects: [422] }),
      ]
      runs.push({ order, id, lateAnswers })
      say(`${runs.length} runs, ${sent.length} actions`)
    }
    const waiting = [...orders]
    const clients = Array.from({ length: 8 }, async () => {
      for (let order = waiting.shift(); order; order = waiting.shift()) await playRun(order)
    })
    await Promise.all(clients)
    const unknown = await actOnce(stage, {
      runId: runs[0]!.id.replace(/.{6}$/, '000000'),
      key: `${stage.key('unknown')}`,
      body: message('anybody?'),
      expects: [404],
    })
    const limit = await reachLimit(stage, size)
    return judge(stage, { sent, runs, unknown, limit })
  },
})

const message = (text: string): object => ({ type: 'message', payload: { message: text } })

type Act = {
  runId: string
  key: string
  body: object
}

const callOf = ({ fleet }: Stage, { runId, key, body }: Act): ApiCall => {
  const headers = { ...fleet.client.authorization, 'idempotency-key': key }
  return { method: 'POST', path: `/v2/runs/${runId}/action`, headers, body }
}

const act = async (stage: Stage, { isRetried, ...action }: Act & { isRetried: boolean }): Promise<Sent> => {
  const attempt = { what: 'act', key: action.key, call: callOf(stage, action) } as const
  const { insist } = stage.fleet.client
  const answers = isRetried
    ? await Promise.all([insist(attempt, { first: 0 }), insist(attempt, { first: 1 })])
    : [await insist(attempt)]
  return { ...action, type: (action.body as { type: string }).type, answers }
}

const actOnce = (stage: Stage, { expects, ...action }: Act & { expects: readonly number[] }): Promise<ApiAnswer> =>
  stage.fleet.client.insist({
    what: 'act',
    key: action.key,
    call: callOf(stage, action),
    // A wrong success must not be asked for again until it is right.
    expects: [...expects, 200],
  })

/** One run is given all the actions that it may have, and one more. */
const reachLimit = async (stage: Stage, { limitBy }: Size): Promise<{ last: ApiAnswer; beyond: ApiAnswer }> => {
  const { fleet } = stage
  const order: RunOrder = {
    key: stage.key('limit'),
    agentId: fleet.agentId('test-approval'),
    input: { message: 'May I?' },
    prefer: 'wait=10',
  }
  const asked = await fleet.client.accept(order)
  const { id } = await fleet.client.awaitEnd(order, asked.id, ({ status }) => status === 'requires_action')
  let sentSoFar = 0
  if (limitBy === 'hand') {
    sentSoFar = maxActions - 1
    await fleet.records.query('update run_heads set actions = $2 where run_id = $1', [toUuid(id), sentSoFar])
  }
  for (; sentSoFar < maxActions - 1; sentSoFar++) {
    await actOnce(stage, { runId: id, key: `${order.key}/${sentSoFar}`, body: message('more'), expects: [200] })
  }
  const last = await actOnce(stage, { runId: id, key: `${order.key}/last`, body: message('last'), expects: [422] })
  const beyond = await actOnce(stage, { runId: id, key: `${order.key}/beyond`, body: message('no'), expects: [422] })
  await fleet.client.cancel(order, id)
  await sleep(100)
  return { last, beyond }
}

const judge = async (
  stage: Stage,
  {
    sent,
    runs,
    unknown,
    limit,
  }: {
    sent: readonly Sent[]
    runs: readonly { id: string; lateAnswers: readonly ApiAnswer[] }[]
    unknown: ApiAnswer
    limit: { last: ApiAnswer; beyond: ApiAnswer }
  },
) => {
  const ids = runs.map(({ id }) => toUuid(id))
  const stored = await stage.fleet.records.query<{ run_id: string; message: string; times: number }>(
    'select run_id, message::text as message, count(*)::integer as times from run_messages where run_id = any ($1) group by 1, 2',
    [ids],
  )
  const decided = await stage.fleet.records.query<{ run_id: string; resolution: string | null }>(
    'select run_id, resolution from run_actions where run_id = any ($1)',
    [ids],
  )
  const messages = sent.filter(({ type }) => type === 'message')
  const late = runs.flatMap(({ lateAnswers }) => lateAnswers)
  return {
    metrics: [
      ['runs', runs.length],
      ['actions', sent.length],
      ['of these sent twice at once, over both gateways', sent.filter(({ answers }) => answers.length > 1).length],
      ['actions after the end', late.length],
      ['messages stored', stored.length],
    ] as const,
    claims: [
      claim(
        'each message is stored once',
        stored.length === messages.length && stored.every(({ times }) => times === 1),
        `${stored.length} of ${messages.length}`,
      ),
      claim(
        'each question is decided once',
        decided.length === runs.length && decided.every(({ resolution }) => resolution === 'approve'),
        `${decided.length} decisions for ${runs.length} runs`,
      ),
      {
        says: 'every action is answered 200 with its run',
        violations: sent.flatMap(({ key, runId, answers }) =>
          answers
            .filter(({ status, text }) => status !== 200 || !text.includes(runId))
            .map(({ status, text }) => `${key}: ${status} ${text.slice(0, 200)}`),
        ),
      },
      {
        says: 'an ended run answers 422 run_not_active',
        violations: late
          .filter((answer) => !isRefusal(answer, 'run_not_active'))
          .map(({ status, text }) => `${status} ${text.slice(0, 200)}`),
      },
      claim('an unknown run answers 404', unknown.status === 404, `${unknown.status} ${unknown.text.slice(0, 200)}`),
      claim(
        `action ${maxActions} is taken`,
        limit.last.status === 200,
        `${limit.last.status} ${limit.last.text.slice(0, 200)}`,
      ),
      claim(
        `action ${maxActions + 1} answers 422 too_many_actions`,
        isRefusal(limit.beyond, 'too_many_actions'),
        `${limit.beyond.status} ${limit.beyond.text.slice(0, 200)}`,
      ),
    ],
  }
}

const isRefusal = ({ status, text }: ApiAnswer, code: string): boolean => status === 422 && text.includes(`"${code}"`)
