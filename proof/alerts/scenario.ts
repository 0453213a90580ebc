import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerPart } from '@ars/tools/dev/server'
import type { Stack } from '@ars/tools/dev/stack'
import pg from 'pg'
import type { ApiAnswer } from '../lab/client/api-caller.ts'

export type World = {
  stack: Stack
  gateway: ServerPart
  worker: ServerPart
  /** A gateway of another release, not started: its files are expected at `checkout`. */
  other: { gateway: ServerPart; checkout: string }
  /** Creates a run of a test agent and does not wait for it. Answers the status, or null without an answer. */
  createRun(agent: string, input: Record<string, unknown>): Promise<number | null>
  /** A request with the key of the seed. */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<ApiAnswer>
}

/** A cause, the alerts that it must make fire, and the cure after which they must end. */
export type Scenario = {
  name: string
  alerts: readonly string[]
  cause(world: World): Promise<void>
  /** Repeated until all alerts fire, for causes that need traffic. */
  meanwhile?(world: World): Promise<void>
  cure(world: World): Promise<void>
  /** Words that the runbook says to search the logs for, and that must be there. */
  logs?: readonly string[]
  /** The alerts fire within this time, if the default is too short. */
  fireMs?: number
}

export const slots = 4

/** Of every server. Webhooks may lead to this machine, and two of an organisation's deliveries are sent at a time. */
export const settingsOf = ({ tls }: Stack): Record<string, string> => ({
  ARS_TEST_STACK: 'true',
  ARS_CELL_SLOTS: String(slots),
  ARS_DATABASE_POOL_SIZE: '3',
  ARS_EGRESS_ALLOW_RANGES: '127.0.0.0/8',
  ARS_EGRESS_ALLOW_PORTS: 'any',
  ARS_EGRESS_CA_FILE: tls.certFile,
  ARS_WEBHOOK_PLACES: '8',
})

export const nothing = (): Promise<void> => Promise.resolve()

export const at = async (ms: number): Promise<void> => {
  await sleep(ms)
}

export const asSuperuser = async (stack: Stack, work: (client: pg.Client) => Promise<void>): Promise<void> => {
  const client = await superuserOf(stack)
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

export const superuserOf = async (stack: Stack): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: stack.postgres.superuserUrl('ars') })
  await client.connect()
  return client
}
