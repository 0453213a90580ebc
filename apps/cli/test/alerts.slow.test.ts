import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../../server/test/app.ts'
import { type Home, makeHome } from './ars.slow.ts'

let app: App
let ars: Home

beforeAll(async () => {
  app = await startApp()
  ars = makeHome({ url: app.url, key: app.tenant.key })
})
afterAll(async () => {
  ars?.remove()
  await app?.stop()
})

test('a rule is previewed, created, tested, listed with its state and deleted; its alert is listed and shown', async () => {
  const run = async (...words: string[]) => {
    const done = await ars.run(words)
    expect(done.code, done.stderr).toBe(0)
    return done.stdout
  }
  const terms = ['--metric', 'runs_per_minute', '--operator', 'below', '--threshold', '100']
  expect(await run('alert-rules', 'preview', ...terms)).toMatch(/fired +1/)
  const { json: rule } = await ars.run(['alert-rules', 'create', '--name', 'Quiet', ...terms, '--json'])
  expect(await run('alert-rules', 'test', rule.id)).toMatch(/test +true/)
  await expect
    .poll(() => run('alert-rules', 'list'))
    .toMatch(new RegExp(`${rule.id} +firing +warning +runs_per_minute below 100 over 300 s +Quiet`))
  const listed = await run('alerts', 'list', '--status', 'firing', '--rule-id', rule.id)
  expect(listed).toMatch(/alt_\w+ +firing +warning +\S+ \S+ +runs_per_minute 0 +Quiet/)
  const id = /alt_\w+/.exec(listed)?.[0] ?? ''
  expect(await run('alerts', 'get', id)).toMatch(/status +firing/)
  await run('alert-rules', 'delete', rule.id)
  expect(await run('alerts', 'list', '--status', 'resolved')).toContain(id)
  expect(await run('alert-rules', 'list')).toContain('No alert rules found.')
})
