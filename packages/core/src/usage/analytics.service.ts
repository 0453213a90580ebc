import type { Analytics, contract, Handlers } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, toUuid } from '@ars/platform/id'
import { type AllowedAgents, onlyAgent } from '../agent-access.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { findBounds } from './analytics-period.store.ts'
import {
  type Interval,
  intervalFor,
  isDetailed,
  longestMs,
  type RowFilter,
  type Width,
  widthFor,
} from './analytics-period.ts'
import { usageBounds } from './bounds.ts'
import { noId } from './bucket-key.ts'
import { type AskedRows, type Group, maxRows, readAgentTotals, readGroups, readSeries } from './bucket-read.store.ts'
import { addFigures, type Figures, runsOf, toAnalyticsFigures } from './figures.ts'
import { findAsOf } from './rollup.store.ts'
import { findNames } from './subject-name.store.ts'

export type AskedAnalytics = Parameters<Handlers<typeof contract.analytics, Ctx>['get']>[1]
export type AnalyticsService = { get(ctx: Ctx, asked: AskedAnalytics, within: AllowedAgents): Promise<Analytics> }

const dayMs = 86_400_000
const listed = usageBounds.busiestTold.count

/** How the ended runs of a period went. */
export const createAnalytics = ({ app, clock }: { app: Database; clock: Clock }): AnalyticsService => ({
  get: async ({ org }, asked, within) => {
    const period = await periodOf(app, org, { ...asked, now: clock.now() })
    const part = partOf(asked, within)
    const rows = { width: period.widthOf(isDetailed(part)), part }
    const series = await readSeries(app, org, { ...rows, ...period.shape, from: period.from, to: period.to })
    const before = { from: period.previousFrom, to: period.from }
    const previous = series && (await readSeries(app, org, { ...rows, ...period.shape, ...before }))
    if (!series || !previous) throw tooLarge()
    const totals = addFigures(series.map(({ figures }) => figures))
    const top = await topAgents(app, org, { period, part, width: isLong(period) ? 'day' : 'hour' })
    const grouped = asked.group_by && (await groupsOf(app, org, { ...rows, ...period, by: asked.group_by, totals }))
    return {
      object: 'analytics',
      from: period.from.toISOString(),
      to: period.to.toISOString(),
      interval: period.shape.interval,
      time_zone: period.shape.timeZone,
      as_of: (await findAsOf(app, org)).toISOString(),
      totals: toAnalyticsFigures(totals),
      previous: {
        from: before.from.toISOString(),
        to: before.to.toISOString(),
        totals: toAnalyticsFigures(addFigures(previous.map(({ figures }) => figures))),
      },
      series: merged(series).map(([startedAt, figures]) => ({
        started_at: startedAt,
        figures: toAnalyticsFigures(figures),
      })),
      ...top,
      top_errors: Object.entries(totals.errors)
        .map(([code, runs]) => ({ code, runs }))
        .toSorted((one, other) => other.runs - one.runs || one.code.localeCompare(other.code))
        .slice(0, listed),
      groups: grouped ?? null,
    }
  },
})

type Period = {
  from: Date
  to: Date
  previousFrom: Date
  shape: { interval: Interval; timeZone: string }
  widthOf(detailed: boolean): Width
}

const isLong = ({ from, to }: Period): boolean => to.getTime() - from.getTime() > 2 * dayMs

const periodOf = async (db: Database, org: string, asked: AskedAnalytics & { now: Date }): Promise<Period> => {
  const to = asked.to === undefined ? asked.now : new Date(asked.to)
  const from = asked.from === undefined ? new Date(to.getTime() - dayMs) : new Date(asked.from)
  const lengthMs = to.getTime() - from.getTime()
  if (lengthMs <= 0) throw new Fault('input_invalid', '`from` must be before `to`', { param: 'from' })
  const interval = asked.interval ?? intervalFor(lengthMs)
  if (lengthMs > longestMs[interval]) {
    const days = longestMs[interval] / dayMs
    throw new Fault('range_too_large', `By ${interval}, a period has at most ${days} ${days === 1 ? 'day' : 'days'}`)
  }
  const timeZone = asked.time_zone ?? 'UTC'
  const bounds = await findBounds(db, org, { from, to, interval, timeZone })
  if (!bounds) throw new Fault('input_invalid', `There is no time zone ${timeZone}`, { param: 'time_zone' })
  const { hasWholeHours, ...found } = bounds
  const isUtc = /^(etc\/)?(utc|gmt)$/i.test(timeZone)
  return {
    ...found,
    shape: { interval, timeZone },
    widthOf: (detailed) => widthFor(interval, { isDetailed: detailed, hasWholeHours, isUtc }),
  }
}

const partOf = (asked: AskedAnalytics, within: AllowedAgents): RowFilter => {
  if (asked.agent_version !== undefined && asked.agent_id === undefined)
    throw new Fault('input_invalid', '`agent_version` needs `agent_id`', { param: 'agent_version' })
  const { ids } = asked.agent_id === undefined ? within : onlyAgent(within, toUuid(asked.agent_id))
  return {
    agentIds: ids === null ? null : [...ids],
    agentVersion: asked.agent_version ?? null,
    apiKeyId: asked.api_key_id === undefined ? null : toUuid(asked.api_key_id),
  }
}

const tooLarge = (): Fault =>
  new Fault('range_too_large', `The period and its filters have over ${maxRows.toLocaleString('en')} rows of figures`)

/** Rows of one interval are added; there are several where the rows are narrower. */
const merged = (points: readonly { startedAt: Date; figures: Figures }[]): [string, Figures][] => {
  const byStart = Map.groupBy(points, ({ startedAt }) => startedAt.toISOString())
  return [...byStart].map(([startedAt, all]) => [
    startedAt,
    all.length === 1 && all[0] ? all[0].figures : addFigures(all.map(({ figures }) => figures)),
  ])
}

const topAgents = async (
  db: Database,
  org: string,
  { period, part, width }: { period: Period; part: RowFilter; width: Width },
): Promise<Pick<Analytics, 'top_from' | 'top_agents' | 'slowest_agents'>> => {
  const start = width === 'day' ? new Date(Math.floor(period.from.getTime() / dayMs) * dayMs) : period.from
  const asked = { width, from: start, to: period.to }
  const { from, agents } = await readAgentTotals(db, org, { ...asked, agentIds: part.agentIds })
  const busiest = agents.toSorted((one, other) => other.runs - one.runs).slice(0, listed)
  const slowest = agents
    .filter(({ meanLatencyMs }) => meanLatencyMs !== null)
    .toSorted((one, other) => (other.meanLatencyMs ?? 0) - (one.meanLatencyMs ?? 0))
    .slice(0, listed)
  const agentIds = [...new Set([...busiest, ...slowest].map(({ agentId }) => agentId))]
  const groups = await agentGroups(db, org, { ...asked, from, agentIds })
  const figures = new Map(groups.map((group) => [group.key, group.figures]))
  const names = await findNames(db, org, { agentIds, apiKeyIds: [] })
  const toWire = ({ agentId }: { agentId: string }) => ({
    agent_id: fromUuid('ag', agentId),
    name: names.get(agentId) ?? null,
    figures: toAnalyticsFigures(figures.get(agentId) ?? addFigures([])),
  })
  return { top_from: from.toISOString(), top_agents: busiest.map(toWire), slowest_agents: slowest.map(toWire) }
}

/** At most 20 agents, so that the rows are few. */
const agentGroups = async (
  db: Database,
  org: string,
  { agentIds, ...asked }: { width: Width; from: Date; to: Date; agentIds: readonly string[] },
): Promise<Group[]> => {
  if (agentIds.length === 0) return []
  const part = { agentIds, agentVersion: null, apiKeyId: null }
  return (await readGroups(db, org, { by: 'agent', part, ...asked })) ?? []
}

type AskedGroups = AskedRows &
  Pick<Period, 'widthOf'> & { by: NonNullable<AskedAnalytics['group_by']>; totals: Figures }

const groupsOf = async (db: Database, org: string, asked: AskedGroups): Promise<Analytics['groups']> => {
  const { by, totals, widthOf, ...rows } = asked
  if (by === 'error_code') return errorGroups(totals)
  const isDetail = by !== 'agent' || isDetailed(rows.part)
  const groups = await readGroups(db, org, { ...rows, by, width: widthOf(isDetail) })
  if (!groups) throw tooLarge()
  const keys = groups.map(({ key }) => key)
  const names = await findNames(db, org, {
    agentIds: by === 'agent' ? keys : [],
    apiKeyIds: by === 'api_key' ? keys : [],
  })
  return groups
    .toSorted((one, other) => runsOf(other.figures) - runsOf(one.figures))
    .map(({ key, figures }) => ({
      key: keyOf(by, key),
      name: names.get(key) ?? null,
      figures: toAnalyticsFigures(figures),
    }))
}

const keyOf = (by: 'agent' | 'version' | 'api_key', key: string): string | null => {
  if (by === 'version') return key
  if (by === 'agent') return fromUuid('ag', key)
  return key === noId ? null : fromUuid('key', key)
}

/** An error code has a count only. */
const errorGroups = ({ errors }: Figures): Analytics['groups'] =>
  Object.entries(errors)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 100)
    .map(([code, failed]) => ({ key: code, name: null, figures: toAnalyticsFigures({ ...addFigures([]), failed }) }))
