import type { createWorkerCore, Parts } from '@ars/core'
import { unreadable } from '@ars/platform/metrics'
import type { Meter } from '@opentelemetry/api'

/** Metrics that are read at each scrape. */
export const observeWorker = (
  meter: Meter,
  worker: ReturnType<typeof createWorkerCore>,
  { egress, deliveryEgress }: Pick<Parts, 'egress' | 'deliveryEgress'>,
): void => {
  const pools = { calls: egress, deliveries: deliveryEgress }
  meter
    .createObservableGauge('ars_egress_connections', {
      description: 'Connections to customers’ hosts, and calls that wait for one, by pool and state.',
    })
    .addCallback((gauge) => {
      for (const [pool, { connections }] of Object.entries(pools)) {
        const { open, idle, waiting } = connections()
        for (const [state, count] of Object.entries({ in_use: open - idle, idle, waiting }))
          gauge.observe(count, { pool, state })
      }
    })
  meter
    .createObservableCounter('ars_egress_refused', {
      description: 'Calls of customers’ hosts that were given up because no connection was free.',
    })
    .addCallback((counter) => {
      for (const [pool, { connections }] of Object.entries(pools)) counter.observe(connections().refused, { pool })
    })
  meter
    .createObservableGauge('ars_runs_active', { description: 'Active runs of the cell, by state.' })
    .addCallback(async (gauge) => {
      const counted = await worker.countRuns().catch(() => null)
      for (const status of ['queued', 'running', 'requires_action', 'cancelling']) {
        const found = counted?.find((each) => each.status === status)?.runs ?? 0
        gauge.observe(counted ? found : unreadable, { status })
      }
    })
  meter
    .createObservableGauge('ars_outbox_lag_seconds', {
      description: 'Age of the oldest start that is not claimed by a worker.',
    })
    .addCallback(async (gauge) => {
      gauge.observe((await worker.outboxLagMs().catch(() => unreadable)) / 1_000)
    })
  meter
    .createObservableGauge('ars_deliveries_waiting', {
      description: 'Unfinished deliveries of the cell; `under_way` are being sent.',
    })
    .addCallback(async (gauge) => {
      const counted = await worker.webhooks.countWaiting().catch(() => null)
      gauge.observe(counted ? counted.waiting - counted.underWay : unreadable, { state: 'waiting' })
      gauge.observe(counted ? counted.underWay : unreadable, { state: 'under_way' })
    })
  meter
    .createObservableGauge('ars_events_untold', { description: 'Events that the relay has not processed.' })
    .addCallback(async (gauge) => {
      gauge.observe(await worker.countUnassignedEvents().catch(() => unreadable))
    })
  meter
    .createObservableGauge('ars_connector_tools_off', {
      description: 'Tools of connectors that agents cannot use, by state: pending, changed or gone.',
    })
    .addCallback(async (gauge) => {
      const counted = await worker.countToolsOff().catch(() => null)
      for (const state of ['pending', 'changed', 'gone']) {
        const found = counted?.find((each) => each.state === state)?.tools ?? 0
        gauge.observe(counted ? found : unreadable, { state })
      }
    })
  meter
    .createObservableGauge('ars_engine_canary_up', {
      description: '1: the partition responded to its last probe; 0: it did not.',
    })
    .addCallback((gauge) => {
      for (const [partition, tookMs] of worker.health.partitions) gauge.observe(tookMs === null ? 0 : 1, { partition })
    })
  meter
    .createObservableGauge('ars_engine_canary_seconds', {
      description: 'Round trip of the last probe of a partition.',
    })
    .addCallback((gauge) => {
      for (const [partition, tookMs] of worker.health.partitions) {
        gauge.observe(tookMs === null ? unreadable : tookMs / 1_000, { partition })
      }
    })
}
