import { fillRuns } from './list-rows.ts'
const [url, rows] = process.argv.slice(2)
console.time('fill')
await fillRuns(url!, { organisation: '11111111-1111-7111-8111-111111111111', agents: ['22222222-2222-7222-8222-222222222222','33333333-3333-7333-8333-333333333333'], rows: Number(rows), days: 30 }, console.log)
console.timeEnd('fill')
