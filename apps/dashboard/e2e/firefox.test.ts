import { afterAll, beforeAll, expect, test } from 'vitest'
import { inviteVisitor } from '../../server/test/browser.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { type Firefox, openFirefox } from './firefox.ts'
import { runMaker } from './run-maker.ts'

let dashboard: Dashboard
let firefox: Firefox
beforeAll(async () => {
  dashboard = await startDashboard()
  firefox = await openFirefox()
})
afterAll(async () => {
  await firefox?.close()
  await dashboard?.stop()
})

const outputOf = () => firefox.call(() => document.querySelector('[data-output]')?.textContent ?? null)

test('Firefox: login, list of runs, live run page and playground work, without an error or a violation', async () => {
  const runs = runMaker(dashboard)
  const { email, password } = await inviteVisitor(dashboard.app, dashboard.app.tenant)
  const text = 'It takes a moment. '.repeat(12)
  const id = await runs.begin('test-stream', { text, chunk_chars: 8, delay_ms: 150 })
  await firefox.open(`${dashboard.url}/runs`)
  await firefox.type('E-mail', email)
  await firefox.type('Password', password)
  await firefox.press('Log in')
  await firefox.sees('test-stream')

  await firefox.open(`${dashboard.url}/runs/${id}`)
  await firefox.sees('It takes a moment.')
  expect((await runs.end(id)).output).toEqual({ result: text })
  await firefox.sees('Completed')
  await expect.poll(outputOf).toBe(text)

  await firefox.open(`${dashboard.url}/playground?agent_id=${runs.agent('test-stream')}`)
  await firefox.press('Run')
  await firefox.sees('Completed')
  await expect.poll(outputOf).toBe('Hello there')
  expect(firefox.problems).toEqual([])

  // A planted violation is seen, so the list above would not be empty by mistake.
  await firefox.call(() => {
    const style = document.createElement('style')
    style.textContent = 'body { color: red }'
    document.head.append(style)
  })
  await expect.poll(() => firefox.problems.join()).toContain('securitypolicyviolation: style-src')
})
