import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import type { Engine } from '@ars/platform/durable/engine'
import type { Egress } from '@ars/platform/egress/egress'
import type { Keyring } from '@ars/platform/envelope'
import type { IdMaker } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { Load } from '@ars/platform/overload'
import type { Wakeups } from '@ars/platform/redis/redis'
import type { Scripts } from '@ars/platform/redis/scripts'
import type { Config } from './config.ts'

/** The machines that the product stands on. Each slice takes what it needs. */
export type Parts = {
  config: Config
  /** Where the keys of model providers are looked up, by the names that the operator gave. */
  environment: Readonly<Record<string, string | undefined>>
  /** The API's pool, role `ars_app`. */
  app: Database
  /** The workers' pool, role `ars_app`: a busy API takes no connection from a step. */
  steps: Database
  auth: Database
  /** Of the same role, for tries at a password: they wait for one another, and nobody's key waits with them. */
  logins: Database
  system: Database
  /** Of the same role, for webhooks: a backlog of deliveries takes no connection from what starts and ends runs. */
  deliveries: Database
  wakeups: Wakeups
  /** Shared counters in Redis. */
  scripts: Scripts
  engine: Engine
  /** The only way to hosts that customers name. */
  egress: Egress
  /** Undefined: the operator has set no key, so no secret can be kept. */
  keyring: Keyring | undefined
  /** How hard the process and the database are pressed: whoever accepts work asks it first. */
  load: Load
  clock: Clock
  newId: IdMaker
  log: Log
}
