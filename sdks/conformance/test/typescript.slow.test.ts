import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as sdk from '@agent-run-service/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { runCases } from '../runners/typescript.ts'
import { startConformanceServer } from '../src/index.ts'

const source = join(import.meta.dirname, '../../typescript/src')

/** The faults by the name of the case, and the number of judged cases. */
const judge = async (judged: object, only?: string) => {
  const server = await startConformanceServer(only)
  onTestFinished(() => server.close())
  await runCases(judged, { url: server.url, runner: 'typescript' })
  const faulty = server.verdicts.filter(({ faults }) => faults.length > 0)
  const failures = Object.fromEntries(faulty.map(({ name, faults }) => [name, faults]))
  return { failures, judged: server.verdicts.length, cases: server.cases.length }
}

test('the TypeScript SDK passes every transcript', async () => {
  const { failures, judged, cases } = await judge(sdk)
  expect(failures).toEqual({})
  expect(judged).toBe(cases)
  expect(cases).toBeGreaterThan(170)
})

test.each([
  {
    fault: 'a new idempotency key for each attempt',
    only: 'idempotency: a create has a key',
    file: 'request.ts',
    from: '...call.headers,',
    to: "...call.headers, 'idempotency-key': String(Math.random()),",
  },
  {
    fault: 'repeated frames are passed on',
    only: 'streams: frames that come again',
    file: 'stream.ts',
    from: 'Number(id) <= Number(last)',
    to: 'Number(id) < 0',
  },
  {
    fault: 'Retry-After is ignored',
    only: 'retries: Retry-After in seconds',
    file: 'retry.ts',
    from: 'if (told !== null)',
    to: 'if (told === undefined)',
  },
])('a planted fault is found: $fault', async ({ only, file, from, to }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ars-sdk-typescript-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(source, folder, { recursive: true })
  const text = readFileSync(join(folder, file), 'utf8')
  expect(text).toContain(from)
  writeFileSync(join(folder, file), text.replace(from, to))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const { failures } = await judge(await import(pathToFileURL(join(folder, 'index.ts')).href), only)
  expect(Object.keys(failures)).not.toEqual([])
})
