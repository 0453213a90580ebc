import type { createWorkerCore, Parts } from '@ars/core'
import { readDataDirectory } from '@ars/platform/db/readiness'
import { type BackupState, readBackupState, readServerHealth } from '@ars/platform/db/server-health'
import { readDatabaseDisk } from '../database-disk.ts'
import type { Instruments } from '../instruments.ts'

/** Metrics that are read at each scrape. One that cannot be read has no value. */
export const observeWorker = (
  { gauge, countedElsewhere }: Instruments,
  worker: ReturnType<typeof createWorkerCore>,
  { egress, deliveryEgress, config, system }: Pick<Parts, 'egress' | 'deliveryEgress' | 'config' | 'system'>,
): void => {
  const pools = { calls: egress, deliveries: deliveryEgress }
  gauge('ars_egress_connections', (observe) => {
    for (const [pool, { connections }] of Object.entries(pools)) {
      const { open, idle, waiting } = connections()
      for (const [state, count] of Object.entries({ in_use: open - idle, idle, waiting }))
        observe(count, { pool, state })
    }
  })
  countedElsewhere('ars_egress_refused_total', (observe) => {
    for (const [pool, { connections }] of Object.entries(pools)) observe(connections().refused, { pool })
  })
  gauge('ars_runs_active', async (observe) => {
    const counted = await worker.countRuns()
    for (const status of ['queued', 'running', 'requires_action', 'cancelling'])
      observe(counted.find((each) => each.status === status)?.runs ?? 0, { status })
  })
  gauge('ars_kept_history_bytes', (observe) => observe(worker.keptHistoryBytes()))
  gauge('ars_kept_history_limit_bytes', (observe) => observe(config.historyBytesMax))
  gauge('ars_cell_slots', (observe) => observe(config.cellSlots))
  gauge('ars_cell_slots_used', async (observe) => observe(await worker.countAdmitted()))
  gauge('ars_outbox_lag_seconds', async (observe) => observe((await worker.outboxLagMs()) / 1_000))
  gauge('ars_deliveries_waiting', async (observe) => {
    const { waiting, underWay } = await worker.webhooks.countWaiting()
    observe(waiting - underWay, { state: 'waiting' })
    observe(underWay, { state: 'under_way' })
  })
  const readHealth = shared(() => readServerHealth(system))
  gauge('ars_database_transaction_age', async (observe) => observe((await readHealth()).transactionAge))
  gauge('ars_replication_slot_retained_bytes', async (observe) => {
    for (const { name, retainedBytes } of (await readHealth()).slots) observe(retainedBytes, { slot: name })
  })
  const readBackups = shared(() => readBackupState(system))
  // None of a database that the service should copy is 0, so that the alerts find it old.
  const secondsOf = async (field: keyof BackupState): Promise<number | null> => {
    const state = await readBackups()
    return state === null && config.backups === 'elsewhere' ? null : (state?.[field]?.getTime() ?? 0) / 1_000
  }
  gauge('ars_backup_base_timestamp_seconds', async (observe) => {
    const seconds = await secondsOf('baseEndedAt')
    if (seconds !== null) observe(seconds)
  })
  gauge('ars_backup_archive_timestamp_seconds', async (observe) => {
    const seconds = await secondsOf('archivedUntil')
    if (seconds !== null) observe(seconds)
  })
  gauge('ars_database_disk_free_bytes', async (observe) => {
    const space = await readDatabaseDisk(await readDataDirectory(system), config)
    if (space) observe(space.freeBytes)
  })
  gauge('ars_mails_waiting', async (observe) => observe(await worker.countWaitingMails()))
  gauge('ars_events_untold', async (observe) => observe(await worker.countUnassignedEvents()))
  gauge('ars_usage_lag_seconds', async (observe) => observe(await worker.usageLagSeconds()))
  gauge('ars_connector_tools_off', async (observe) => {
    const counted = await worker.countToolsOff()
    for (const state of ['pending', 'changed', 'gone'])
      observe(counted.find((each) => each.state === state)?.tools ?? 0, { state })
  })
  const readRuleMetrics = shared(worker.readRuleMetrics)
  gauge('ars_alert_rules_lag_seconds', async (observe) => observe((await readRuleMetrics()).lagSeconds))
  gauge('ars_alerts_firing', async (observe) => observe((await readRuleMetrics()).firing))
  const readPipelineGauges = shared(worker.readPipelineGauges)
  gauge('ars_pipelines_lag_seconds', async (observe) => observe((await readPipelineGauges()).lagSeconds))
  gauge('ars_pipeline_runs_active', async (observe) => observe((await readPipelineGauges()).active))
  gauge('ars_schedules_lag_seconds', async (observe) => observe(await worker.scheduleLagSeconds()))
  gauge('ars_batch_items_waiting', async (observe) => observe(await worker.countWaitingItems()))
  const readDays = shared(worker.readDays)
  gauge('ars_partitions_until_timestamp_seconds', async (observe) => {
    const { untilMs } = await readDays()
    if (untilMs !== null) observe(untilMs / 1_000)
  })
  gauge('ars_oldest_data_timestamp_seconds', async (observe) => {
    const { oldestMs } = await readDays()
    if (oldestMs !== null) observe(oldestMs / 1_000)
  })
  gauge('ars_engine_canary_up', (observe) => {
    for (const [partition, tookMs] of worker.health.partitions) observe(tookMs === null ? 0 : 1, { partition })
  })
  gauge('ars_engine_canary_seconds', (observe) => {
    for (const [partition, tookMs] of worker.health.partitions)
      if (tookMs !== null) observe(tookMs / 1_000, { partition })
  })
}

/** The gauges of one scrape share the read. */
const shared = <Found>(read: () => Promise<Found>): (() => Promise<Found>) => {
  let reading: Promise<Found> | undefined
  return () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
}
