import type { createWorkerCore, Parts } from '@ars/core'
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
      const counted = new Map((await worker.countRuns().catch(() => [])).map(({ status, runs }) => [status, runs]))
      for (const status of ['queued', 'running', 'requires_action', 'cancelling']) {
        gauge.observe(counted.get(status) ?? 0, { status })
      }
    })
  meter
    .createObservableGauge('ars_outbox_lag_seconds', {
      description: 'Age of the oldest start that is not claimed by a worker.',
    })
    .addCallback(async (gauge) => {
      const lagMs = await worker.outboxLagMs().catch(() => null)
      if (lagMs !== null) gauge.observe(lagMs / 1_000)
    })
  meter
    .createObservableGauge('ars_deliveries_waiting', {
      description: 'Unfinished deliveries of the cell; `under_way` are being sent.',
    })
    .addCallback(async (gauge) => {
      const counted = await worker.webhooks.countWaiting().catch(() => null)
      if (!counted) return
      gauge.observe(counted.waiting - counted.underWay, { state: 'waiting' })
      gauge.observe(counted.underWay, { state: 'under_way' })
    })
  meter
    .createObservableGauge('ars_events_untold', { description: 'Events that the relay has not processed.' })
    .addCallback(async (gauge) => {
      const events = await worker.countUnassignedEvents().catch(() => null)
      if (events !== null) gauge.observe(events)
    })
  meter
    .createObservableGauge('ars_connector_tools_off', {
      description: 'Tools of connectors that agents cannot use, by state: pending, changed or gone.',
    })
    .addCallback(async (gauge) => {
      const counted = await worker.countToolsOff().catch(() => null)
      if (!counted) return
      for (const state of ['pending', 'changed', 'gone']) {
        gauge.observe(counted.find((each) => each.state === state)?.tools ?? 0, { state })
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
        if (tookMs !== null) gauge.observe(tookMs / 1_000, { partition })
      }
    })
}
