import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PartError } from '@ars/tools/dev/parts/part'
import { repositoryDir } from '@ars/tools/dev/server'
import type { Stack } from '@ars/tools/dev/stack'
import { type ApiCaller, apiCaller } from '../../../lab/client/api-caller.ts'
import { logLevel, openFreshStack } from '../../../lab/stack/fresh-stack.ts'
import type { Seed } from '../../../lab/stack/temporary-stack.ts'
import type { Target } from '../protocol.ts'
import type { Place, Product } from './peer.ts'
import type { RecoverySide, RunStatus } from './recovery.ts'

/** Agent Run Service with a gateway and a worker, as two processes. */
export const startOurs = async ({ dir, base }: Place): Promise<Product & { databaseUrl: string }> => {
  const { stack, dispose } = await openFreshStack({ dir, base })
  const ledgerFile = join(dir, 'steps.jsonl')
  const caller = apiCaller({ port: stack.ports.gateway[0], ca: readFileSync(stack.tls.certFile) })
  const stop = async (): Promise<void> => {
    caller.close()
    await dispose()
  }
  try {
    await stack.start()
    await stack.command(['migrate'])
    const seed = JSON.parse(await stack.command(['admin', 'seed', '--json'])) as Seed
    const env = { ARS_LOG_LEVEL: logLevel }
    const gateway = stack.server({ role: 'gateway', env })
    const plain = stack.server({ role: 'worker', env })
    // The worker that notes its steps takes the place of the first one, because the notes cost time.
    const noting = stack.server({
      role: 'worker',
      env: { ...env, ARS_TEST_STACK: 'true', ARS_TEST_LEDGER_FILE: ledgerFile },
    })
    await Promise.all([gateway.start(), plain.start()])
    const { postgres, redis, restate } = stack
    return {
      name: 'Agent Run Service',
      version: versionOf(),
      settings:
        'gateway and worker as two processes, Restate 1 node, Redis, Postgres; HTTPS, an API key, quota and idempotency key with every call. Runs, steps and events are in Postgres before the answer',
      target: targetOf(stack, seed),
      watched: {
        gateway: gateway.pid,
        worker: () => plain.pid() ?? noting.pid(),
        postgres: postgres.pid,
        redis: redis.pid,
        restate: restate.pid,
      },
      callers: {},
      databaseUrl: postgres.superuserUrl('ars'),
      recovery: {
        ...recoveryOf(caller, seed, ledgerFile),
        prepare: async () => {
          await plain.stop()
          await noting.start()
        },
        kill: () => noting.kill(),
        restart: () => noting.start(),
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const agentOf = ({ agents }: Seed): string => {
  const agent = agents.find(({ name }) => name === 'test-steps')
  if (!agent) throw new PartError('the seed made no agent test-steps')
  return agent.id
}

const headersOf = (seed: Seed): Record<string, string> => ({
  'content-type': 'application/json',
  accept: 'application/json',
  authorization: `Bearer ${seed.api_key}`,
})

const targetOf = (stack: Stack, seed: Seed): Target => ({
  origins: [stack.env('gateway').ARS_PUBLIC_URL ?? ''],
  path: '/v2/runs',
  headers: headersOf(seed),
  ca: readFileSync(stack.tls.certFile, 'utf8'),
  body: JSON.stringify({ agent_id: agentOf(seed), input: { steps: 2, delay_ms: 0 } }),
  expect: '"status":"completed"',
})

const recoveryOf = (
  caller: ApiCaller,
  seed: Seed,
  ledgerFile: string,
): Pick<RecoverySide, 'killed' | 'begin' | 'statusOf' | 'begunSteps'> => {
  const headers = headersOf(seed)
  const runs = new Map<string, string>()
  return {
    killed: 'the worker',
    async begin(key, delayMs) {
      const { status, text } = await caller.call({
        method: 'POST',
        path: '/v2/runs',
        headers: { ...headers, 'idempotency-key': key, prefer: 'respond-async' },
        body: { agent_id: agentOf(seed), input: { steps: 2, delay_ms: delayMs } },
      })
      if (status !== 202) throw new Error(`POST /v2/runs: ${status} ${text}`)
      runs.set(key, (JSON.parse(text) as { id: string }).id)
    },
    async statusOf(key) {
      const { status, text } = await caller.call({ method: 'GET', path: `/v2/runs/${runs.get(key)}`, headers })
      if (status === 404) return 'unknown'
      if (status !== 200) return 'running'
      const found = (JSON.parse(text) as { status: string }).status
      return ends.find((end) => end === found) ?? 'running'
    },
    begunSteps() {
      if (!existsSync(ledgerFile)) return []
      const lines = readFileSync(ledgerFile, 'utf8').trimEnd().split('\n')
      return lines.map((line) => {
        const { run_id, step } = JSON.parse(line) as { run_id: string; step: number }
        return { key: run_id, step }
      })
    },
  }
}

const ends: readonly RunStatus[] = ['completed', 'failed']

const versionOf = (): string => {
  const git = (...words: string[]): string =>
    execFileSync('git', ['-C', repositoryDir, ...words], { encoding: 'utf8' }).trim()
  const { version } = JSON.parse(readFileSync(join(repositoryDir, 'package.json'), 'utf8')) as { version: string }
  return `${version}, commit ${git('rev-parse', '--short', 'HEAD')}`
}
