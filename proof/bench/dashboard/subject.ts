import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildDashboard } from '@ars/tools/dev/dashboard-build'
import { PartError } from '@ars/tools/dev/parts/part'
import { type Dispatcher, Agent as HttpAgent, request } from 'undici'
import { logLevel, openFreshStack } from '../../lab/stack/fresh-stack.ts'
import { withClient } from '../../lab/stack/sql.ts'
import type { DashboardOptions } from './options.ts'
import { fillOrganisation, type Rows } from './rows.ts'

/** The service with a large organisation and the built dashboard. */
export type DashboardSubject = {
  /** `https://localhost:…/dashboard`. */
  readonly url: string
  readonly rows: Rows
  /** The built files of the dashboard. */
  readonly folder: string
  /** Starts a run that streams a text. Answers its id. */
  stream(chunks: number, delayMs: number): Promise<string>
  /** Waits for its end. Answers how long it took. */
  streamedMs(runId: string): Promise<number>
  stop(): Promise<void>
}

type Seed = { organisation: string; api_key: string; agents: { id: string; name: string }[] }

export const startDashboardSubject = async (options: DashboardOptions, base: number): Promise<DashboardSubject> => {
  const folder = await buildDashboard()
  const { stack, dispose } = await openFreshStack({ dir: options.dir, base })
  let agent: Dispatcher | undefined
  const stop = async (): Promise<void> => {
    await agent?.close()
    await dispose()
  }
  try {
    await stack.start()
    await stack.command(['migrate'])
    const seed = JSON.parse(await stack.command(['admin', 'seed', '--json'])) as Seed
    const rows = await withClient(stack.postgres.superuserUrl('ars'), (client) =>
      fillOrganisation(client, seed.organisation, options),
    )
    const env = { ARS_LOG_LEVEL: logLevel, ARS_DASHBOARD_DIR: folder }
    await Promise.all((['gateway', 'worker'] as const).map((role) => stack.server({ role, env }).start()))
    const origin = stack.env('gateway').ARS_PUBLIC_URL ?? ''
    const dispatcher = new HttpAgent({ connect: { ca: readFileSync(stack.tls.certFile, 'utf8') } })
    agent = dispatcher
    const call = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<RunAnswer> => {
      const answer = await request(`${origin}/v2${path}`, {
        method,
        dispatcher,
        headers: {
          authorization: `Bearer ${seed.api_key}`,
          'content-type': 'application/json',
          prefer: 'respond-async',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.body.text()
      if (answer.statusCode >= 300) throw new PartError(`${method} ${path} answered ${answer.statusCode}: ${text}`)
      return JSON.parse(text) as RunAnswer
    }
    return {
      url: `${origin}/dashboard`,
      rows,
      folder,
      stream: async (chunks, delayMs) => {
        const agentId = seed.agents.find(({ name }) => name === 'test-stream')?.id
        const input = { chunks, chunk_chars: 24, delay_ms: delayMs }
        return (await call('POST', '/runs', { agent_id: agentId, input })).id
      },
      streamedMs: async (runId) => {
        for (;;) {
          const { status, started_at, finished_at } = await call('GET', `/runs/${runId}`)
          if (status === 'completed') return Date.parse(finished_at ?? '') - Date.parse(started_at ?? '')
          if (finished_at !== null) throw new PartError(`the streamed run is ${status}`)
          await sleep(200)
        }
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

type RunAnswer = { id: string; status: string; started_at: string | null; finished_at: string | null }
