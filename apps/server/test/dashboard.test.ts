import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedGateway } from './app.ts'
import { folderOfFiles } from './folder-of-files.ts'
import { sendRaw } from './raw-socket.ts'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

const built = {
  'index.html': '<!doctype html><title>dashboard</title>',
  'index.html.br': 'index in br',
  'index.html.gz': 'index in gzip',
  'theme.js': 'theme',
  'icon.svg': '<svg/>',
  'assets/run-page-1a2b.js': 'script',
  'assets/run-page-1a2b.js.br': 'script in br',
  'assets/inter.woff2': 'font',
}

let app: App
let folder = ''
beforeAll(async () => {
  folder = folderOfFiles(built)
  app = await sharedGateway({ ARS_DASHBOARD_DIR: folder })
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true })
})

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  app.call(method, path, { key: null, headers })

describe('the dashboard', () => {
  test.each([
    '/dashboard',
    '/dashboard/',
    '/dashboard/runs/run_1?step=2',
    '/dashboard/a/b%20c',
    '/dashboard/index.html',
  ])('%s is its page, which a browser asks for again every time', async (path) => {
    const page = await get(path)
    expect([page.status, page.text]).toEqual([200, built['index.html']])
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'Accept-Encoding',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
    })
  })

  test('everything below /dashboard has its policy and no other, and what every response has', async () => {
    for (const path of ['/dashboard', '/dashboard/assets/run-page-1a2b.js', '/dashboard/assets/none.js']) {
      const { headers } = await get(path)
      expect(headers).toMatchObject({
        'content-security-policy': policy,
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': 'camera=(), microphone=(), geolocation=()',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': 'max-age=31536000',
        'x-request-id': expect.stringMatching(/^req_/),
      })
      expect(headers['access-control-allow-origin']).toBeUndefined()
      expect(headers['x-ratelimit-limit']).toBeUndefined()
      expect(headers['set-cookie']).toBeUndefined()
    }
  })

  test('its assets never change, and an unknown one is 404, not the page', async () => {
    const script = await get('/dashboard/assets/run-page-1a2b.js')
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect((await get('/dashboard/assets/inter.woff2')).headers['content-type']).toBe('font/woff2')
    const unknown = await get('/dashboard/assets/run-page-9z9z.js')
    expect([unknown.status, unknown.body.error.code, unknown.headers['cache-control']]).toEqual([
      404,
      'not_found',
      'no-store',
    ])
  })

  test('a known file is 304 without a body, in the form that the client would get', async () => {
    for (const path of [
      '/dashboard/theme.js',
      '/dashboard/icon.svg',
      '/dashboard/runs',
      '/dashboard/assets/inter.woff2',
    ]) {
      const { etag } = (await get(path)).headers
      const again = await get(path, { 'if-none-match': `"other", W/${etag}` })
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag])
      expect(again.headers['content-security-policy']).toBe(policy)
      expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200)
    }
    const plain = (await get('/dashboard/runs')).headers.etag as string
    expect((await get('/dashboard/runs', { 'if-none-match': plain, 'accept-encoding': 'br' })).status).toBe(200)
  })

  test('the compressed form is chosen by Accept-Encoding, and a file without one is sent as it is', async () => {
    const inForm = async (path: string, accept: string) => {
      const { headers, text } = await get(path, { 'accept-encoding': accept })
      return [headers['content-encoding'], text]
    }
    expect(await inForm('/dashboard/runs', 'gzip, deflate, br')).toEqual(['br', 'index in br'])
    expect(await inForm('/dashboard/runs', 'br;q=0.1, gzip;q=0.9')).toEqual(['gzip', 'index in gzip'])
    expect(await inForm('/dashboard/runs', 'zstd')).toEqual([undefined, built['index.html']])
    expect(await inForm('/dashboard/assets/run-page-1a2b.js', 'gzip')).toEqual([undefined, 'script'])
    expect(await inForm('/dashboard/assets/inter.woff2', 'br')).toEqual([undefined, 'font'])
  })

  test('HEAD answers the headers of GET, and no other method is known', async () => {
    const { headers } = await get('/dashboard/runs')
    const head = await get('/dashboard/runs', {}, 'HEAD')
    expect([head.status, head.text, head.headers.etag]).toEqual([200, '', headers.etag])
    expect(head.headers['content-length']).toBe(String(built['index.html'].length))
    expect((await get('/dashboard/runs', {}, 'POST')).status).toBe(404)
  })

  test.each([
    '/dashboard/../openapi.json',
    '/dashboard/..%2f..%2fetc%2fpasswd',
    '/dashboard/%2e%2e/%2e%2e/etc/passwd',
    '/dashboard/....//etc/passwd',
    '/dashboard//etc/passwd',
    '/dashboard/.vite/manifest.json',
    '/dashboard/index.html.br',
    '/dashboard/theme.js%00.svg',
    '/dashboard/constructor',
    '/dashboard/__proto__',
  ])('%s names no file: the answer is the page', async (path) => {
    // Sent as written: an HTTP client would remove the dots.
    expect(await bodyOf(path)).toBe(built['index.html'])
  })

  test.each(['/dashboard/assets/../index.html', '/dashboard/assets/%2e%2e/theme.js', '/dashboard/assets/'])(
    '%s names no asset: the answer is 404',
    async (path) => {
      expect(JSON.parse(await bodyOf(path)).error.code).toBe('not_found')
    },
  )

  test('a wrong or revoked credential and a cookie change nothing', async () => {
    const page = await app.call('GET', '/dashboard/', {
      key: 'ars_live_nonsense',
      headers: { cookie: '__Host-ars_session=nonsense' },
    })
    expect(page.status).toBe(200)
  })

  test('its requests are counted as one operation', async () => {
    await get('/dashboard/')
    const metrics = await fetch(`${app.metricsUrl}/metrics`).then((answer) => answer.text())
    expect(metrics).toMatch(/ars_requests_total\{[^}]*operation="dashboard"[^}]*status="200"/)
  })
})

describe('an address outside the dashboard', () => {
  test('the service itself leads a browser to the dashboard, and refuses a program', async () => {
    const page = await get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
    expect([page.status, page.headers.location, page.headers.vary]).toEqual([302, '/dashboard/', 'Accept'])
    const refused = await get('/', { accept: '*/*' })
    expect([refused.status, refused.body.error.code]).toEqual([404, 'not_found'])
    expect((await get('/')).status).toBe(404)
  })
})

test('without built files, /dashboard says so in words and the rest of the service works', async () => {
  const bare = await app.join('gateway', { ARS_DASHBOARD_DIR: join(folder, 'nowhere') })
  const page = await app.call('GET', '/dashboard/runs', { key: null, url: bare.url })
  expect([page.status, page.headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8'])
  expect(page.text).toContain('This installation has no dashboard.')
  expect((await app.call('GET', '/v2/agents', { url: bare.url })).status).toBe(200)
  expect(app.logLines.join('\n')).toContain('no dashboard: its folder has no files')
})

const bodyOf = async (path: string): Promise<string> => {
  const answer = await sendRaw(app.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  return answer.slice(answer.indexOf('\r\n\r\n') + 4)
}
