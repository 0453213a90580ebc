export { expiredKeySweep, partitionSweep, retentionSweep } from './retention.sweep.ts'
