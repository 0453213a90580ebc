export { createLimits, type Limits } from './limit.service.ts'
export type { Verdict } from './verdict.ts'
