export { createMissingPartitions, dropOldPartitions, readDays, summarisePartitions } from './partition.service.ts'
export { dropPartition, listPartitions, makePartition } from './retention.store.ts'
export { expiredKeySweep, partitionSweep, retentionSweep } from './retention.sweep.ts'
