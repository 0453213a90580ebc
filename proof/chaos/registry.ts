import type { PlayStage } from './play.ts'
import type { Scenario } from './scenario.ts'
import { alerts } from './scenarios/alerts.ts'
import { canary } from './scenarios/canary.ts'
import { cancelStream } from './scenarios/cancel-stream.ts'
import { deadlyStep } from './scenarios/deadly-step.ts'
import { diskFull } from './scenarios/disk-full.ts'
import { engineDisk } from './scenarios/engine-disk.ts'
import { forbiddenText } from './scenarios/forbidden-text.ts'
import { hostileNeighbour } from './scenarios/hostile-neighbour.ts'
import { hostilePolicies } from './scenarios/hostile-policies.ts'
import { hungRedis } from './scenarios/hung-redis.ts'
import { logFull } from './scenarios/log-full.ts'
import { neighbours } from './scenarios/neighbours.ts'
import { pipelines } from './scenarios/pipelines.ts'
import { retries } from './scenarios/r1-retries.ts'
import { fingerprint } from './scenarios/r2-fingerprint.ts'
import { oneEffect } from './scenarios/r3-one-effect.ts'
import { expiry } from './scenarios/r4-expiry.ts'
import { crash } from './scenarios/r5-crash.ts'
import { partition } from './scenarios/r6-partition.ts'
import { stuck } from './scenarios/r7-stuck.ts'
import { cancel } from './scenarios/r8-cancel.ts'
import { lateWriter } from './scenarios/r9-late-writer.ts'
import { history } from './scenarios/r10-history.ts'
import { actions } from './scenarios/r11-actions.ts'
import { deploy } from './scenarios/r12-deploy.ts'
import { webhooks } from './scenarios/r13-webhooks.ts'
import { schedule } from './scenarios/r14-schedule.ts'
import { blackHole } from './scenarios/r15-black-hole.ts'
import { disabled } from './scenarios/r16-disabled.ts'
import { signatures } from './scenarios/r17-signatures.ts'
import { limits } from './scenarios/r18-limits.ts'
import { limiterOutage } from './scenarios/r19-limiter-outage.ts'
import { noisyCustomer } from './scenarios/r20-noisy.ts'
import { overload } from './scenarios/r21-overload.ts'
import { drain } from './scenarios/r22-drain.ts'
import { streams } from './scenarios/r23-streams.ts'
import { slowReaders } from './scenarios/r25-slow-readers.ts'
import { poolHeld } from './scenarios/r26-pool.ts'
import { redisLost } from './scenarios/r28-redis.ts'
import { metering } from './scenarios/r30-metering.ts'
import { keys } from './scenarios/r31-keys.ts'
import { guardrails } from './scenarios/r39-guardrails.ts'
import { readOnly } from './scenarios/read-only.ts'
import { recover } from './scenarios/recover.ts'
import { releases } from './scenarios/releases.ts'
import { rollups } from './scenarios/rollups.ts'
import { toolOnce } from './scenarios/tool-once.ts'
import { workerMoves } from './scenarios/worker-moves.ts'

/** Every scenario, in the order in which they are played. */
export const scenarios: readonly Scenario[] = [
  retries,
  fingerprint,
  oneEffect,
  expiry,
  crash,
  partition,
  stuck,
  cancel,
  lateWriter,
  history,
  actions,
  deploy,
  webhooks,
  schedule,
  blackHole,
  disabled,
  signatures,
  recover,
  limits,
  limiterOutage,
  noisyCustomer,
  neighbours,
  overload,
  drain,
  streams,
  slowReaders,
  poolHeld,
  redisLost,
  hungRedis,
  metering,
  rollups,
  keys,
  guardrails,
  forbiddenText,
  hostilePolicies,
  hostileNeighbour,
  pipelines,
  toolOnce,
  cancelStream,
  engineDisk,
  readOnly,
  diskFull,
  logFull,
  deadlyStep,
  canary,
  releases,
  workerMoves,
  alerts,
]

/** These set something that the others do not mind; every shared fleet has it, so that a scenario can change its place. */
const settingsOf = [lateWriter, toolOnce, engineDisk] as const

/**
 * In CI scenarios share stacks, because a stack costs more than many scenarios. The scenarios of a wave run at the same
 * time and do not disturb each other. A scenario has a separate wave when it kills the same parts for another reason,
 * counts processor time, moves the clock or compares all rows. Most scenarios wait most of their time: so the stacks of a
 * stage run at the same time. Scenarios that compare times or sizes have a stage with one stack. The last stage has two
 * stacks with little load; one of them has a Postgres as `initdb` makes it.
 */
export const ciStages: readonly PlayStage[] = [
  [
    {
      name: 'killed',
      settingsOf,
      waves: [
        [crash],
        [rollups],
        [webhooks, recover, signatures],
        [canary, releases],
        [engineDisk],
        [deadlyStep],
        [forbiddenText],
        [workerMoves],
        [alerts],
        // They move the clock by days. Afterwards retention drops the text of earlier runs, so they are the last.
        [metering],
        [disabled],
      ],
    },
    {
      name: 'stopped',
      settingsOf,
      waves: [
        [retries],
        [cancel],
        [oneEffect],
        [streams, redisLost],
        [partition],
        [lateWriter],
        [toolOnce],
        [cancelStream],
        [expiry],
        [history],
        [pipelines],
      ],
    },
  ],
  [
    {
      name: 'alone',
      settingsOf,
      waves: [
        [drain],
        [stuck],
        [fingerprint, actions, deploy, overload],
        [slowReaders],
        [poolHeld],
        [limits],
        [limiterOutage],
        [hungRedis],
        [neighbours],
        [guardrails],
        [hostilePolicies],
        // It moves the clock by a day and back.
        [keys],
      ],
    },
  ],
  [{ name: 'hostile', waves: [[hostileNeighbour]] }],
  [
    { name: 'noisy', waves: [[noisyCustomer]] },
    { name: 'unwritable', waves: [[readOnly], [logFull], [diskFull]] },
    { name: 'sent', settingsOf, isStock: true, waves: [[schedule, blackHole]] },
  ],
]
