import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PartError } from '@ars/tools/dev/parts/part'
import { managedProcess } from '@ars/tools/dev/parts/process'
import { installOnce } from '../../../lab/peers/install.ts'
import type { Peer, Product } from './peer.ts'
import type { RecoverySide, RunStatus } from './recovery.ts'
import { parseStepLog } from './step-log.ts'

const versions = {
  'langgraph-cli': '0.4.40',
  'langgraph-api': '0.16.7',
  'langgraph-runtime-inmem': '0.36.7',
  langgraph: '1.2.22',
}

const assistant = 'two-steps'

const wanted = Object.entries(versions).map(([name, version]) => `${name}==${version}`)

/** LangGraph's development server: API, queue and execution in one process, with the state in memory. */
export const langGraph: Peer = {
  install: (cache, say) =>
    installOnce({ peer: 'langgraph', wanted: wanted.join('\n'), cache, say }, async (_, run) => {
      await run('python3', '-m', 'venv', 'venv')
      await run('venv/bin/pip', 'install', '--quiet', ...wanted)
    }),
  start: (place) => startServer(place),
}

const startServer = async ({ dir, base, home, callers }: Parameters<Peer['start']>[0]): Promise<Product> => {
  copyFileSync(fileURLToPath(new URL('./langgraph/graph.py', import.meta.url)), join(dir, 'graph.py'))
  const config = { dependencies: ['.'], graphs: { [assistant]: './graph.py:graph' } }
  writeFileSync(join(dir, 'langgraph.json'), JSON.stringify(config))
  const stepLog = join(dir, 'steps.log')
  const origin = `http://127.0.0.1:${base}`
  const flags = ['--no-browser', '--no-reload', '--n-jobs-per-worker', String(callers), '--server-log-level', 'warning']
  const server = managedProcess({
    name: 'langgraph',
    dir,
    command: join(home, 'venv/bin/langgraph'),
    args: ['dev', ...flags, '--host', '127.0.0.1', '--port', String(base)],
    env: {
      ...process.env,
      LANGSMITH_TRACING: 'false',
      LANGGRAPH_CLI_NO_ANALYTICS: '1',
      PEER_STEP_LOG: stepLog,
    },
    ports: [{ port: base, what: 'langgraph' }],
    // It imports much; on a busy computer that takes minutes.
    startTimeoutMs: 600_000,
    isReady: async () => (await fetch(`${origin}/ok`, { signal: AbortSignal.timeout(2000) })).ok,
  })
  await server.start()
  return {
    name: 'LangGraph development server',
    version: wanted.join(', '),
    settings: `\`langgraph dev ${flags.join(' ')}\`, tracing and analytics off; HTTP without a key. **Not durable**: the state is in memory and is written to a file from time to time`,
    target: {
      origins: [origin],
      path: '/runs/wait',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ assistant_id: assistant, input: { key: 'bench', delay_ms: 0 } }),
      expect: '"2 steps done"',
    },
    watched: { server: server.pid },
    callers: {},
    recovery: {
      ...recoveryOf(origin),
      begunSteps: () => (existsSync(stepLog) ? parseStepLog(readFileSync(stepLog, 'utf8')) : []),
      kill: () => server.kill(),
      restart: () => server.start(),
    },
    stop: () => server.stop(),
  }
}

/** Runs on threads, because the server keeps the state of those, and not of runs without one. */
const recoveryOf = (origin: string): Pick<RecoverySide, 'killed' | 'prepare' | 'begin' | 'statusOf'> => {
  const paths = new Map<string, string>()
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const response = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new PartError(`langgraph: POST ${path} answered ${response.status}`)
    return (await response.json()) as Record<string, string>
  }
  return {
    killed: 'the server, which is one process',
    prepare: async () => undefined,
    async begin(key, delayMs) {
      const { thread_id } = await post('/threads', {})
      const input = { key, delay_ms: delayMs }
      const { run_id } = await post(`/threads/${thread_id}/runs`, { assistant_id: assistant, input })
      paths.set(key, `/threads/${thread_id}/runs/${run_id}`)
    },
    async statusOf(key) {
      const response = await fetch(`${origin}${paths.get(key)}`, { signal: AbortSignal.timeout(5000) })
      if (response.status === 404) return 'unknown'
      const { status } = (await response.json()) as { status: string }
      return statuses[status] ?? 'running'
    },
  }
}

const statuses: Readonly<Record<string, RunStatus>> = {
  success: 'completed',
  error: 'failed',
  timeout: 'failed',
  interrupted: 'failed',
}
