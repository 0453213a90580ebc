import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { quote, writeShellFile } from '@ars/tools/dev/shell-file'
import { createStack, type Stack } from '@ars/tools/dev/stack'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/*
 * The file that a terminal sources, in every shell of this computer that reads it. An API of the test answers, so that it
 * can have more agents than a page holds.
 */

const dir = mkdtempSync(join(tmpdir(), "ars it's "))
let stack: Stack
let api: Server
let file: string

const names = [...Array.from({ length: 250 }, (_, number) => `test-echo ${number}`), 'test-echo', 'it’s "odd" & 100 %']
const idOf = (name: string): string => `ag_${names.indexOf(name)}`

const answer = (url: URL, key: string | undefined): [status: number, body: unknown] => {
  if (key !== 'Bearer ars_live_test') return [401, { error: { code: 'unauthorized' } }]
  if (url.pathname !== '/v2/agents') return [404, { error: { code: 'not_found' } }]
  expect(url.searchParams.get('status')).toBe('active')
  const found = names.filter((name) => name.includes(url.searchParams.get('q') ?? ''))
  const after = url.searchParams.get('after')
  const begin = after ? found.findIndex((name) => idOf(name) === after) + 1 : 0
  const page = found.slice(begin, begin + 100).map((name) => ({ id: idOf(name), name }))
  return [200, { data: page, has_more: begin + 100 < found.length }]
}

beforeAll(async () => {
  const made = createStack({ dir, base: 24_000 })
  const [cert, key] = [readFileSync(made.tls.certFile), readFileSync(made.tls.keyFile)]
  api = createServer({ cert, key }, (request, response) => {
    const [status, body] = answer(new URL(request.url ?? '', 'https://localhost'), request.headers.authorization)
    response.writeHead(status).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  const { port } = api.address() as AddressInfo
  stack = { ...made, env: () => ({ ARS_PUBLIC_URL: `https://localhost:${port}` }) }
  file = writeShellFile(stack, 'ars_live_test')
})
afterAll(() => {
  api.close()
  rmSync(dir, { recursive: true, force: true })
})

const run = promisify(execFile)
const isInstalled = (shell: string) => run(shell, ['-c', 'true']).then(Boolean, () => false)
const shells = (
  await Promise.all(['sh', 'bash', 'zsh'].map(async (shell) => ((await isInstalled(shell)) ? [shell] : [])))
).flat()

describe.each(shells)('in %s', (shell) => {
  const source = async (commands: string): Promise<{ status: number; stdout: string; stderr: string }> => {
    try {
      return { status: 0, ...(await run(shell, ['-euc', `. ${quote(file)}\n${commands}`], { cwd: '/' })) }
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { status: code, stdout, stderr }
    }
  }

  test('agent finds an agent on any page, with any name', async () => {
    expect(await source('agent test-echo')).toMatchObject({ status: 0, stdout: `${idOf('test-echo')}\n` })
    expect(await source('agent \'it’s "odd" & 100 %\'')).toMatchObject({ status: 0, stdout: 'ag_251\n' })
  })

  test('agent says when there is none, and shows what the API says', async () => {
    const none = await source('agent nobody')
    expect(none).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining("is named 'nobody'") })
    const refused = await source('ARS_API_KEY=wrong\nagent test-echo')
    expect(refused).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('unauthorized') })
  })

  test('call prints the body with a line break, and fails with the response', async () => {
    expect((await source('call "/agents?status=active&q=odd"')).stdout).toMatch(/^\{.*\}\n$/)
    const failed = await source('call /nothing')
    expect(failed).toMatchObject({ status: 22, stdout: '{"error":{"code":"not_found"}}\n' })
    expect(await source('call nothing')).toMatchObject({ status: 2, stdout: '' })
  })

  test('field prints strings as they are and everything else as JSON, and fails where there is nothing', async () => {
    const json = `{"data":[{"id":"a b"},{"id":null}],"count":2}`
    const field = (path: string, text = json) => source(`printf '%s' '${text}' | field ${path}`)
    expect(await field('data.0.id')).toMatchObject({ status: 0, stdout: 'a b\n' })
    expect(await field('data.length')).toMatchObject({ stdout: '2\n' })
    expect(await field('data.1')).toMatchObject({ stdout: '{"id":null}\n' })
    expect(await field('data.2.id')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('data.2.id'),
    })
    expect(await field('data', '<html>')).toMatchObject({ status: 1, stderr: expect.stringContaining('not JSON') })
  })

  test('ars and curl need nothing more', async () => {
    expect((await source('ars --version')).status).toBe(0)
    const plain = await source('curl -sS "$ARS_BASE_URL/agents?status=active" -H "Authorization: Bearer $ARS_API_KEY"')
    expect(plain).toMatchObject({ status: 0, stdout: expect.stringContaining('has_more') })
  })
})
