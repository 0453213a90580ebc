import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { apiVersion } from '@ars/contract'
import { asClient } from '@ars/testkit/client'
import { stackFacts, testEngine, testRedisUrl } from '@ars/testkit/stack'
import { portBlock, reserveFreeBlock } from '@ars/tools/dev/parts/ports'
import { repositoryDir } from '@ars/tools/dev/server'
import type { Artefact } from '@ars/tools/release/artefact'
import { buildServerBundle } from '@ars/tools/release/server-bundle'
import { buildServerExecutable } from '@ars/tools/release/server-executable'
import { Agent, fetch } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'

const home = mkdtempSync(join(tmpdir(), 'ars-bundle-'))
const empty = join(home, 'elsewhere')
const database = `ars_bundle_${randomBytes(6).toString('hex')}`
const { postgresPassword, postgresPort, postgresSuperuserUrl, tls } = stackFacts()
const roleUrl = (role: string): string =>
  `postgresql://${role}:${postgresPassword}@127.0.0.1:${postgresPort}/${database}`
const { version } = JSON.parse(readFileSync(join(repositoryDir, 'package.json'), 'utf8'))

let bundle: Artefact
let env: NodeJS.ProcessEnv
let release: () => Promise<void>
let url: string
let serving: ChildProcess | undefined

beforeAll(async () => {
  bundle = await buildServerBundle(repositoryDir, home)
  await promisify(execFile)('tar', ['-xzf', join(home, bundle.file)], { cwd: home })
  await promisify(execFile)('mkdir', [empty])
  await asClient(postgresSuperuserUrl, (client) => client.query(`create database ${database} owner ars_owner`))
  const block = await reserveFreeBlock()
  release = block.release
  const ports = portBlock(block.base)
  const engine = testEngine()
  const kekFile = join(home, 'kek')
  writeFileSync(kekFile, `a:${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
  url = `https://localhost:${ports.gateway[0]}`
  env = {
    PATH: '/nowhere',
    ARS_DATABASE_OWNER_URL: roleUrl('ars_owner'),
    ARS_DATABASE_URL: roleUrl('ars_app'),
    ARS_DATABASE_AUTH_URL: roleUrl('ars_auth'),
    ARS_DATABASE_FEED_URL: roleUrl('ars_feed'),
    ARS_DATABASE_SYSTEM_URL: roleUrl('ars_system'),
    ARS_DATABASE_ACQUIRE_TIMEOUT_MS: '30000',
    ARS_REDIS_URL: testRedisUrl(),
    ARS_ENGINE_INGRESS_URL: engine.ingressUrl,
    ARS_ENGINE_ADMIN_URL: engine.adminUrl,
    ARS_ENGINE_IDENTITY_KEY: engine.identityKey,
    ARS_TLS_CERT_FILE: tls.certFile,
    ARS_TLS_KEY_FILE: tls.keyFile,
    ARS_KEK_FILE: kekFile,
    ARS_PUBLIC_URL: url,
    ARS_HTTP_HOST: '127.0.0.1',
    ARS_HTTP_PORT: String(ports.gateway[0]),
    ARS_WORKER_PORT: String(ports.worker),
    ARS_WORKER_URL: `http://127.0.0.1:${ports.worker}`,
    ARS_METRICS_PORT: String(ports.gatewayMetrics[0]),
  }
})
afterAll(async () => {
  if (serving?.exitCode === null) {
    const ended = new Promise((resolve) => serving?.once('exit', resolve))
    serving.kill()
    await ended
  }
  await release?.()
  await asClient(postgresSuperuserUrl, (client) => client.query(`drop database if exists ${database} with (force)`))
  rmSync(home, { recursive: true, force: true })
})

const program = join(home, `ars-server-${version}`, 'main.mjs')
const arsServer = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [program, ...args], { cwd: empty, env, timeout: 120_000 })).stdout

test('the bundle of ars-server runs an agent from an empty folder, without the repository', async () => {
  expect(await arsServer('--version')).toBe(`${version}\n`)
  expect(await arsServer('migrate')).toContain('Applied baseline')
  expect(await arsServer('catalog', 'check')).toContain('summariser.yaml')
  const seed = JSON.parse(await arsServer('admin', 'seed', '--json'))

  serving = spawn(process.execPath, [program, 'serve'], { cwd: empty, env, stdio: ['ignore', 'inherit', 'inherit'] })
  const dispatcher = new Agent({ connect: { ca: readFileSync(tls.certFile, 'utf8') } })
  const get = async (path: string, body?: object): Promise<{ status: number; text: string }> => {
    const headers = { authorization: `Bearer ${seed.api_key}`, 'content-type': 'application/json' }
    const request = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    try {
      const response = await fetch(`${url}${path}`, { dispatcher, ...request })
      return { status: response.status, text: await response.text() }
    } catch (error) {
      return { status: 0, text: String(error) }
    }
  }
  await expect.poll(() => get('/readyz')).toMatchObject({ status: 200 })
  expect(await arsServer('doctor')).toContain('All checks passed.')
  expect((await get('/dashboard/')).text).toContain('<div id=')
  expect((await get('/v2/openapi.json')).text).toContain(`"version":"${apiVersion}"`)

  // A schema is checked in a thread, and the login hashes with machine code.
  const echo = seed.agents.find(({ name }: { name: string }) => name === 'test-echo').id
  const run = await get('/v2/runs', { agent_id: echo, input: { text: 'hello' } })
  expect(JSON.parse(run.text)).toMatchObject({ status: 'completed' })
})

test('the executable file of ars-server needs no Node, and unpacks into a folder of its user only', async () => {
  const { file } = await buildServerExecutable(repositoryDir, home, bundle)
  const alone = { cwd: empty, env: { ...env, XDG_CACHE_HOME: join(home, 'cache') }, timeout: 120_000 }
  const executable = (...args: string[]) => promisify(execFile)(join(home, file), args, alone)
  expect((await executable('--version')).stdout).toBe(`${version}\n`)
  expect((await executable('doctor')).stdout).toContain('All checks passed.')

  const open = join(home, 'open')
  mkdirSync(join(open, 'ars-server'), { recursive: true })
  chmodSync(join(open, 'ars-server'), 0o777)
  const refused = promisify(execFile)(join(home, file), ['--version'], { env: { XDG_CACHE_HOME: open } })
  await expect(refused).rejects.toThrow('must belong to this user alone')
})

test('the bundle holds no package that only development needs', async () => {
  const bundled = JSON.parse(readFileSync(join(home, `ars-server-${version}`, 'bundled.json'), 'utf8'))
  const names = bundled.map(({ name }: { name: string }) => name)
  const own = ['apps/server', 'packages/core', 'packages/platform', 'packages/contract', '.']
  const forDevelopment = own.flatMap((folder) =>
    Object.keys(JSON.parse(readFileSync(join(repositoryDir, folder, 'package.json'), 'utf8')).devDependencies),
  )
  const alsoNeeded = ['undici', 'zod', 'yaml']
  expect(names.filter((name: string) => forDevelopment.includes(name) && !alsoNeeded.includes(name))).toEqual([])
  expect(names).toContain('fastify')
  const folder = join(home, `ars-server-${version}`)
  expect(existsSync(join(folder, 'node_modules/@node-rs/argon2'))).toBe(true)
  const { stdout } = await promisify(execFile)('find', [
    join(folder, 'node_modules'),
    '-maxdepth',
    '2',
    '-mindepth',
    '2',
  ])
  expect(stdout.trim().split('\n').length).toBe(2)
})

test('two builds give the same bytes', async () => {
  const second = mkdtempSync(join(home, 'again-'))
  const { file } = await buildServerBundle(repositoryDir, second)
  expect(readFileSync(join(second, file)).equals(readFileSync(join(home, file)))).toBe(true)
})
