export { createLimits, type Limits } from './limit.service.ts'
export type { RateVerdict } from './verdict.ts'
