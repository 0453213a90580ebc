import { selectRuns, selectRun } from '../../packages/core/src/runs/run-row.store.ts'
console.log('prepare rows(uuid, uuid[], uuid, uuid) as ' + selectRuns() + ';')
console.log('prepare one(uuid, uuid) as ' + selectRun() + ';')
