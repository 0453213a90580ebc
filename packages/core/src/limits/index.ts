export { createLimits, type Limits } from './limit.service.ts'
export { rateHeaders, type Verdict } from './verdict.ts'
