import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import type { Engine } from '@ars/platform/durable/engine'
import type { Egress } from '@ars/platform/egress/egress'
import type { Keyring } from '@ars/platform/envelope'
import type { IdMaker } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { Smtp } from '@ars/platform/mail/smtp'
import type { Load } from '@ars/platform/overload'
import type { MessageSeal } from '@ars/platform/redis/message-seal'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import type { Scripts } from '@ars/platform/redis/scripts'
import { releaseProgram } from '@ars/platform/release-files'
import type { ThreadPool } from '@ars/platform/thread-pool'
import type { Tracer } from '@ars/platform/trace/tracer'
import type { Config } from './config.ts'

/** What the threads of `threads` run. */
export const threadProgram = releaseProgram('packages/core/src/thread.ts')

/** The components of the gateway. None of its database roles bypasses row-level security. */
export type GatewayParts = {
  config: Config
  /** Where the keys of model providers are read, by the names that the operator configured. */
  environment: Readonly<Record<string, string | undefined>>
  /** The API's pool, role `ars_app`. */
  app: Database
  auth: Database
  /** Same role, for password checks: they wait for each other, and no API key waits with them. */
  logins: Database
  /** Role `ars_feed`: how far runs and events are, of all organisations, and nothing of their content. */
  feedReads: Database
  pubSub: PubSub
  /** Seals the contents of messages over Redis. Undefined: the process holds no key, so only numbers are published. */
  seal: MessageSeal | undefined
  /** Shared counters in Redis. Undefined: this process runs without Redis, and alone. */
  scripts: Scripts | undefined
  engine: Engine
  /** The only way to hosts that customers supply. */
  egress: Egress
  /** Undefined: the operator has configured no key, so no secret can be stored. */
  keyring: Keyring | undefined
  /** The load of the process and the database: accepting work checks it first. */
  load: Load
  /** Where computations run that customers control. */
  threads: ThreadPool
  clock: Clock
  newId: IdMaker
  log: Log
  /** Undefined: the operator has configured no collector, so nothing is traced and no context is read or sent. */
  tracer: Tracer | undefined
}

/** All components that the product uses; for workers. Each slice takes what it needs. */
export type Parts = GatewayParts & {
  /** The workers' pool, role `ars_app`: a busy API takes no connection from a step. */
  steps: Database
  /** Role `ars_system`, which bypasses row-level security: no code that serves requests gets it. */
  system: Database
  /** Same role, for webhooks: a backlog of deliveries takes no connection from starting and ending runs. */
  deliveries: Database
  /** Connections to customers' hosts for webhooks alone: calls of agents and tools take none from a delivery. */
  deliveryEgress: Egress
  /** The operator's mail server. Undefined: the operator has configured none, so the service sends no mail. */
  smtp: Smtp | undefined
}
