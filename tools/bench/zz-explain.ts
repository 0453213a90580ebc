import { openDatabase } from '@ars/platform/db/database'
import { createLog } from '@ars/platform/log/log'
import { listRuns } from '../../packages/core/src/runs/list.store.ts'
import { findRun } from '../../packages/core/src/runs/run.store.ts'
const [url, explain] = process.argv.slice(2)
const org = '11111111-1111-7111-8111-111111111111'
const db = openDatabase({ url: url!, name: 'x', size: 2, log: createLog({ level: 'silent' }) })
let seen: any[] = []
const rec = { ...db, once: (o: any, s: any) => { seen.push(s); return db.once(o, s) } } as any
const none = { limit: 21, after: null, before: null, agentId: null, status: null, createdAfter: null, createdBefore: null, pipelineRunId: null, metadata: {} }
const first = (await listRuns(db, org, none, new Date()))
const deepDb = await db.once<any>(org, { text: 'select id from runs where org_id = $1 order by id desc offset 20000 limit 1', values: [org] })
const cases: Record<string, any> = {
  page1: {}, page1000: { after: deepDb[0].id }, before: { before: deepDb[0].id }, failed: { status: ['failed'] }, failedRunning: { status: ['failed', 'running', 'queued'] }, rareAgent: { agentId: '22222222-2222-7222-8222-222222222222' }, busyAgent: { agentId: '33333333-3333-7333-8333-333333333333' },
  busyLabel: { metadata: { customer: 'busy' } }, rareLabel: { metadata: { customer: 'rare' } }, noLabel: { metadata: { customer: 'none' } }, failedRare: { status: ['failed'], metadata: { customer: 'rare' } }, failedRareAgent: { status: ['failed'], agentId: '22222222-2222-7222-8222-222222222222' },
  createdAfter: { createdAfter: first[10]!.created_at }, createdBefore: { createdBefore: new Date(Date.now() - 10 * 864e5) }, createdBeforeFailed: { createdBefore: new Date(Date.now() - 10 * 864e5), status: ['failed'] },
}
const bench = async (f: () => Promise<unknown>) => { for (let i = 0; i < 5; i++) await f(); const t: number[] = []; for (let i = 0; i < 40; i++) { const a = performance.now(); await f(); t.push(performance.now() - a) } return t.sort((a, b) => a - b)[3]!.toFixed(2) }
console.log('pk', await bench(() => findRun(db, org, deepDb[0].id)))
console.log('pk bare', await bench(() => db.once(org, { name: 'bare', text: 'select id, input from runs where id = $1', values: [deepDb[0].id] })))
for (const [name, more] of Object.entries(cases)) {
  seen = []; const rows = await listRuns(rec, org, { ...none, ...more }, new Date())
  console.log(name.padEnd(20), rows.length, await bench(() => listRuns(db, org, { ...none, ...more }, new Date())), 'ms')
  if (explain === name) {
    for (const one of seen) { const plan = await db.once<any>(org, { text: 'explain (analyze, buffers, verbose false) ' + one.text, values: one.values })
    console.log(one.text, one.values); console.log(plan.map((r) => r['QUERY PLAN']).filter((l: string) => !/never executed|Index Cond/.test(l)).join('\n')) }
  }
}
await db.close()
