import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid } from '@ars/platform/id'
import { waitFor } from '../../lab/condition.ts'
import { agentClient } from '../agent-client.ts'
import { mostOf } from '../extent.ts'
import { playClients } from '../load.ts'
import { withMovedClock } from '../moved-clock.ts'
import type { RunOrder } from '../run-client.ts'
import { type Claim, claim, measured, type Stage, scenario } from '../scenario.ts'

type Size = {
  /** Each has two transitions, and both workers are killed at each. */
  rounds: number
}

const windowSeconds = 120
const clearSeconds = 300
const runsBefore = 100
const runsAfter = 60
const clients = 12
const maxLateSeconds = 15
/** The rules are looked at every 2 s: a kill falls before, into or after the transaction of the transition. */
const killWithinMs = 2_500
const patienceMs = 60_000

/** The failure rate of an agent jumps from 1 % to 30 %, and later there are no failures any more. */
export const alerts = scenario<Size>({
  name: 'alerts',
  promise:
    'An alert fires once, within its window and 15 seconds, and resolves once, with all workers killed at each transition.',
  sizes: { ci: { rounds: 3 }, full: { rounds: 25 } },
  play: (stage, { rounds }) =>
    withMovedClock(stage, async (move) => {
      const seen: Seen[] = []
      for (let round = 1; round <= rounds; round++) {
        seen.push(await playRound(stage, round, move))
        stage.say(`${round} of ${rounds} rounds`)
      }
      const late = seen.map(({ secondsToFire }) => secondsToFire)
      const kills = seen.reduce((total, each) => total + each.kills, 0)
      return {
        metrics: [
          ['rules, transitions, workers killed at them', `${rounds}, ${2 * rounds}, ${kills}`],
          ['seconds from the first failure to the alert, at most', mostOf(late).toFixed(1)],
        ],
        claims: [
          once('every rule fires once', seen, ({ triggered, alerts: rows }) => triggered === 1 && rows === 1),
          once('every alert resolves once', seen, ({ resolved, open }) => resolved === 1 && open === 0),
          measured(
            `each fires within its window and ${maxLateSeconds} s`,
            late.every((seconds) => seconds <= windowSeconds + maxLateSeconds),
            late.join(),
          ),
          claim('workers were killed at every transition', kills >= 2 * rounds, `${kills} kills`),
        ],
      }
    }),
})

type Seen = {
  rule: string
  triggered: number
  resolved: number
  alerts: number
  open: number
  secondsToFire: number
  kills: number
}

const once = (says: string, seen: readonly Seen[], holds: (each: Seen) => boolean): Claim => ({
  says,
  violations: seen.filter((each) => !holds(each)).map((each) => JSON.stringify(each)),
})

const playRound = async (stage: Stage, round: number, move: (ms: number) => Promise<void>): Promise<Seen> => {
  const { fleet } = stage
  const name = `alerts ${round}`
  const config = { model: 'simulated/script', instructions: 'x' }
  const { id: agentId } = await agentClient(fleet.client).create(stage.key(`${name}/agent`), { name, config })
  const terms = { metric: 'failure_rate', threshold: 0.1, window_seconds: windowSeconds, min_sample_size: 20 }
  const rule = await createRule(stage, `${name}/rule`, { name, agent_id: agentId, ...terms })
  const play = (part: string, count: number, fails: (n: number) => boolean) =>
    playClients(stage, ordersOf(stage, { agentId, name: `${name}/${part}`, count, fails }), { clients })
  await play('before', runsBefore, (n) => n % 100 === 0)
  const stateBefore = await stateOf(stage, rule)
  if (stateBefore !== 'ok') throw new Error(`${name} is ${stateBefore} before the failures`)
  await play('after', runsAfter, (n) => n % 10 < 3)
  // The rule is due at once.
  await move(10_000)
  let kills = await killWorkers(stage)
  await isIn(stage, rule, 'firing')
  // The failures leave the window, the rule sees it, and later it resolves.
  await move(windowSeconds * 1_000 + 1_000)
  await isClear(stage, rule)
  await move(clearSeconds * 1_000 + 1_000)
  kills += await killWorkers(stage)
  await isIn(stage, rule, 'ok')
  // Whatever a second evaluation would do wrong, it has done by then.
  await fleet.supervision.settle()
  await move(20_000)
  await evaluated(stage, rule)
  return { rule, kills, ...(await readSeen(stage, rule, agentId)) }
}

/** kill -9 of both workers, somewhere around the next evaluation. */
const killWorkers = async ({ fleet, random }: Stage): Promise<number> => {
  await sleep(random.whole(0, killWithinMs))
  const up = fleet.workers.map(({ name }) => name).filter(fleet.supervision.isUp)
  await Promise.all(up.map((name) => fleet.supervision.kill(name)))
  return up.length
}

type Orders = { agentId: string; name: string; count: number; fails(n: number): boolean }

const ordersOf = (stage: Stage, { agentId, name, count, fails }: Orders): RunOrder[] =>
  Array.from({ length: count }, (_, n) => {
    const turn = fails(n) ? { fail: { code: 'model_error' } } : { text: 'Done.' }
    return { key: stage.key(`${name}/${n}`), agentId, input: { script: [turn] }, prefer: 'wait=20' }
  })

const createRule = async ({ fleet: { client }, key: keyOf }: Stage, name: string, body: object): Promise<string> => {
  const key = keyOf(name)
  const headers = { ...client.authorization, 'idempotency-key': key }
  const call = { method: 'POST', path: '/v2/alert-rules', headers, body } as const
  const { status, text } = await client.insist({ what: 'list', key, call, expects: [201, 422] })
  if (status !== 201) throw new Error(`the rule was refused: ${text}`)
  return toUuid((JSON.parse(text) as { id: string }).id)
}

type RuleRow = { state: string; is_clear: boolean; due_at: Date; now: Date }

const readRule = async ({ fleet }: Stage, rule: string): Promise<RuleRow | undefined> => {
  const [row] = await fleet.records.query<RuleRow>(
    'select state, clear_since is not null as is_clear, due_at, app_now() as now from alert_rules where id = $1',
    [rule],
  )
  return row
}

const stateOf = async (stage: Stage, rule: string): Promise<string | undefined> => (await readRule(stage, rule))?.state

const until = (stage: Stage, rule: string, what: string, holds: (row: RuleRow) => boolean) =>
  waitFor(
    `a rule to be ${what}`,
    async () => {
      const row = await readRule(stage, rule)
      return row !== undefined && holds(row)
    },
    { timeoutMs: patienceMs, everyMs: 100 },
  )

const isIn = (stage: Stage, rule: string, state: string) => until(stage, rule, state, (row) => row.state === state)
const isClear = (stage: Stage, rule: string) => until(stage, rule, 'clear', ({ is_clear }) => is_clear)
const evaluated = (stage: Stage, rule: string) => until(stage, rule, 'evaluated', ({ due_at, now }) => due_at > now)

const readSeen = async ({ fleet }: Stage, rule: string, agentId: string) => {
  const [row] = await fleet.records.query<Omit<Seen, 'rule' | 'kills' | 'secondsToFire'> & { seconds: number }>(
    `with mine as (select id, triggered_at, resolved_at from alerts where rule_id = $1),
          told as (select type from events where type like 'alert.%' and subject_id in (select id from mine)),
          failed as (select finished_at from run_results where agent_id = $2 and status = 'failed')
     select (select count(*)::integer from told where type = 'alert.triggered') as triggered,
            (select count(*)::integer from told where type = 'alert.resolved') as resolved,
            (select count(*)::integer from mine) as alerts,
            (select count(*)::integer from mine where resolved_at is null) as open,
            -- The first failure is the one in a hundred of before.
            extract(epoch from (select min(triggered_at) from mine) - (
              select finished_at from failed order by finished_at offset 1 limit 1))::double precision as seconds`,
    [rule, toUuid(agentId)],
  )
  if (!row) throw new Error('The database did not count the alerts')
  const { seconds, ...counts } = row
  return { ...counts, secondsToFire: seconds }
}
