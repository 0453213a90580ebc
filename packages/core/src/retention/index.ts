export { oldRowsSweep } from './old-rows.sweep.ts'
export { createMissingPartitions, dropOldPartitions, readDays, summarisePartitions } from './partition.service.ts'
export { dropPartition, listPartitions, makePartition } from './retention.store.ts'
export { partitionSweep, retentionSweep } from './retention.sweep.ts'
