import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { alertSweep } from '../src/alerts/alert.sweep.ts'
import { ruleColumns } from '../src/alerts/alert-rule.store.ts'
import type { AlertRuleRow } from '../src/alerts/alert-rule.ts'
import { rollupSweep } from '../src/usage/index.ts'
import { openUsageWorld, type UsageWorld } from './usage-world.ts'

const newId = createIdMaker(systemClock)
const log = createLog({ level: 'silent' })

const defaults = {
  metric: 'failure_rate',
  error_code: null as string | null,
  operator: 'above',
  threshold: 0.1,
  window_seconds: 120,
  for_seconds: 0,
  min_sample_size: 10,
}
type AlertEvent = { type: string; data: Record<string, unknown> }

/** A database with ended runs and alert rules, whose clock moves when the rules are evaluated. */
export type AlertWorld = Omit<UsageWorld, 'endRuns'> & {
  /** Of all runs that `endRuns` ends. */
  agent: string
  endPlanted: UsageWorld['endRuns']
  /** Ends runs now, and counts them. */
  endRuns(org: string, runs: { ok?: number; failed?: number }): Promise<void>
  addRule(org: string, more?: Partial<typeof defaults>): Promise<string>
  ruleOf(id: string): Promise<AlertRuleRow>
  eventsOf(org: string): Promise<AlertEvent[]>
  now(): Promise<Date>
  seconds(count: number): Promise<unknown>
  sweep(system?: UsageWorld['system']): Promise<unknown>
  /** Moves the clock further than the next time at which a rule is due. Returns the number of rules that were evaluated. */
  evaluate(step?: number): Promise<number>
}

export const openAlertWorld = async (): Promise<AlertWorld> => {
  const world = await openUsageWorld()
  const agent = toUuid(newId('ag'))
  const seconds = (count: number) => moveDatabaseClock(world.database.ownerUrl, count * 1_000)
  let evaluated = 0
  const onEvaluated = (rules: number): void => {
    evaluated += rules
  }
  const sweep = (system = world.system) => alertSweep({ system, newId, log, onEvaluated }).run()
  const now = async () => (await world.sql<{ now: Date }>('select app_now() as now'))[0]?.now ?? new Date()
  return {
    ...world,
    agent,
    seconds,
    sweep,
    now,
    addRule: async (org, more = {}) => {
      const rule = { ...defaults, ...more }
      const id = toUuid(newId('alr'))
      await world.sql(
        `insert into alert_rules (id, org_id, name, metric, error_code, operator, threshold, window_seconds, for_seconds,
           min_sample_size, severity, enabled, created_by, created_by_type)
         values ($1, $2, 'rule', $3, $4, $5, $6, $7, $8, $9, 'critical', true, $1, 'key')`,
        [
          id,
          org,
          rule.metric,
          rule.error_code,
          rule.operator,
          rule.threshold,
          rule.window_seconds,
          rule.for_seconds,
          rule.min_sample_size,
        ],
      )
      return id
    },
    ruleOf: async (id) =>
      (await world.sql<AlertRuleRow>(`select ${ruleColumns} from alert_rules where id = $1`, [id]))[0] as AlertRuleRow,
    eventsOf: (org) =>
      world.sql<AlertEvent>(`select type, data from events where org_id = $1 and type like 'alert.%' order by id`, [
        org,
      ]),
    endPlanted: world.endRuns,
    endRuns: async (org, { ok = 0, failed = 0 }) => {
      const finishedAt = await now()
      const tokens: [number, number] = [60, 40]
      const run = (status: 'completed' | 'failed') => ({ agent, finishedAt, status, tokens })
      await world.endRuns(org, [
        ...Array.from({ length: ok }, () => run('completed')),
        ...Array.from({ length: failed }, () => run('failed')),
      ])
      await world.relay()
      await rollupSweep(world).run()
    },
    evaluate: async (step = 15) => {
      evaluated = 0
      await seconds(step)
      await sweep()
      return evaluated
    },
  }
}
