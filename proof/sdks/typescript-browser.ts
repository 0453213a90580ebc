import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { run } from './sdk.ts'

const html = '<!doctype html><body>nothing yet</body><script type="module" src="./page.js"></script>'

/** It signs and verifies with the crypto of the browser, and calls with the cookie of its origin. */
const script = `
import { AgentRunService, runStatuses, signWebhook, verifyWebhook } from '@agent-run-service/sdk'
import { runsCreateSchema } from '@agent-run-service/sdk/schemas'
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const signed = await signWebhook({ event: '{"id":"evt_1"}', id: 'evt_1', secret })
const event = await verifyWebhook({ ...signed, secret })
const client = new AgentRunService({ auth: 'cookie' })
const echoed = await client.auth.me()
document.body.textContent = [event.id, echoed.path, echoed.accept, runStatuses.length, typeof runsCreateSchema].join(' ')
`

/** Builds a page with Vite and opens it in Chromium. */
export const openPage = async (project: string, tools: string): Promise<string> => {
  const site = join(project, 'site')
  mkdirSync(site, { recursive: true })
  writeFileSync(join(site, 'index.html'), html)
  writeFileSync(join(site, 'page.js'), script)
  const quiet = ['--logLevel', 'error', '--outDir', 'out', '--emptyOutDir', '--base', './', '--target', 'es2022']
  await run({ program: join(tools, '.bin/vite'), args: ['build', ...quiet], cwd: site, env: process.env })
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname.startsWith('/v2/')) {
      const echoed = { path: pathname, accept: request.headers.accept }
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(echoed))
    }
    const file = pathname === '/' ? 'index.html' : pathname.slice(1)
    const path = join(site, 'out', file)
    if (!existsSync(path)) return response.writeHead(404).end()
    const type = file.endsWith('.js') ? 'text/javascript' : 'text/html'
    return response.writeHead(200, { 'content-type': type }).end(readFileSync(path))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const url = `http://localhost:${(server.address() as AddressInfo).port}/`
    const options = ['--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=20000', '--dump-dom']
    const profile = `--user-data-dir=${join(project, 'chromium')}`
    const output = await run({ program: 'chromium', args: [...options, profile, url], cwd: project, env: process.env })
    const wanted = 'evt_1 /v2/api/auth/me application/json 7 object'
    if (!output.includes(wanted)) throw new Error(`The page shows something else:\n${output.slice(-2_000)}`)
    return wanted
  } finally {
    server.close()
  }
}
