export { loadCases } from './cases.ts'
export { type ConformanceServer, startConformanceServer, type Verdict } from './server.ts'
