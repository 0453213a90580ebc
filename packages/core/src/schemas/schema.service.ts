import type { Clock } from '@ars/platform/clock'
import { sha256 } from '@ars/platform/crypto'
import type { TaskOutcome, ThreadPool } from '@ars/platform/thread-pool'
import { Fault } from '../fault.ts'
import { schemasBounds } from './bounds.ts'
import { checkPlain } from './plain-check.ts'
import { findPlain, isWithinPlainSteps } from './plain-schema.ts'
import { ofWhole, type SchemaFault, toSchemaFaults, toSentences, type ValueFault } from './schema-fault.ts'
import type { SchemaResult, SchemaTask } from './schema-task.service.ts'
import type { JsonSchema } from './survey.ts'
import { weigh } from './weight.ts'

/**
 * Validates values against JSON Schemas of customers: an agent's input and output, the payload of an action. Plain schemas
 * are evaluated here; everything else is compiled and evaluated in the threads of the pool. No method may be called while
 * a transaction is open: it can wait for a thread. Too many waiting checks are 503 `unavailable`.
 */
export type Schemas = {
  /** The faults of the value, each with its path. An empty list: the value is valid. */
  check(org: string, schema: JsonSchema, value: unknown): Promise<string[]>
  /** The same faults for an error response: `param` and the message begin with the name of the checked field. */
  faultsOf(org: string, schema: JsonSchema, checked: { value: unknown; field: string }): Promise<SchemaFault[]>
  /** The faults of the schema itself. An empty list: the schema can be used. Called when a customer submits it. */
  checkSchema(org: string, schema: JsonSchema): Promise<string[]>
}

const schemaCpuLimits = {
  /** For compiling a schema that is submitted. */
  compileMs: schemasBounds.compileCpu.ms,
  /** For checking a value. More than for compiling, because a thread may have to compile the schema first. */
  checkMs: schemasBounds.checkCpu.ms,
  /** Added for each MiB of the value. */
  checkMsPerMib: schemasBounds.checkCpuOfMib.ms,
} as const

// A schema that could not be compiled in time is not tried again for a while.
const rememberMs = 600_000
const maxRemembered = schemasBounds.slowSchemasKnown.count

type Deps = { threads: Pick<ThreadPool, 'run'>; clock: Clock }

export const createSchemas = ({ threads, clock }: Deps): Schemas => {
  const tooSlow = new Map<string, { untilMs: number; problem: string }>()

  const findSlow = (text: string): string | undefined => {
    if (tooSlow.size === 0) return
    const found = tooSlow.get(keyOf(text))
    return found && found.untilMs > clock.monotonicMs() ? found.problem : undefined
  }

  const remember = (text: string, problem: string): void => {
    const [oldest] = tooSlow.keys()
    if (tooSlow.size >= maxRemembered && oldest !== undefined) tooSlow.delete(oldest)
    tooSlow.set(keyOf(text), { untilMs: clock.monotonicMs() + rememberMs, problem })
  }

  const runTask = (org: string, payload: SchemaTask, maxCpuMs: number): Promise<TaskOutcome> =>
    threads.run({ owner: org, kind: 'schemas.check', payload, bytes: 2 * bytesOf(payload), maxCpuMs })

  /** What a stopped task means for the author. Stopped before the schema was compiled: the schema is at fault. */
  const problemOf = (text: string, outcome: Stopped, maxCpuMs: number): string => {
    const reason =
      outcome.kind === 'out_of_memory' ? 'needs too much memory' : `takes more than ${maxCpuMs} ms of CPU time`
    if (outcome.progress !== null) return `The check of the value against the schema ${reason}`
    const problem = `Compiling the schema ${reason}`
    remember(text, problem)
    return problem
  }

  const faultsIn = async (org: string, schema: JsonSchema, value: unknown): Promise<ValueFault[]> => {
    const plain = findPlain(schema)
    if (plain && isWithinPlainSteps(plain, value)) return checkPlain(plain, value)
    const weighed = weigh(schema)
    if (weighed.kind === 'refused') return weighed.problems.map(ofWhole)
    const { text } = weighed.weight
    const slow = findSlow(text)
    if (slow !== undefined) return [ofWhole(slow)]
    const json = textOf(value)
    if (json === undefined) return [ofWhole('The value is nested too deeply for the schema')]
    const maxCpuMs = Math.ceil(schemaCpuLimits.checkMs + (json.length / 1_048_576) * schemaCpuLimits.checkMsPerMib)
    const outcome = await runTask(org, { schema: text, value: json }, maxCpuMs)
    if (outcome.kind === 'busy') throw busy()
    if (outcome.kind !== 'done') return [ofWhole(problemOf(text, outcome, maxCpuMs))]
    const result = outcome.result as SchemaResult
    return 'faults' in result ? result.faults : result.problems.map(ofWhole)
  }

  return {
    check: async (org, schema, value) => toSentences(await faultsIn(org, schema, value)),
    faultsOf: async (org, schema, { value, field }) => toSchemaFaults(await faultsIn(org, schema, value), field),
    checkSchema: async (org, schema) => {
      const weighed = weigh(schema)
      if (weighed.kind === 'refused') return weighed.problems
      const { text } = weighed.weight
      const slow = findSlow(text)
      if (slow !== undefined) return [slow]
      const outcome = await runTask(org, { schema: text }, schemaCpuLimits.compileMs)
      if (outcome.kind === 'busy') throw busy()
      if (outcome.kind !== 'done') return [problemOf(text, outcome, schemaCpuLimits.compileMs)]
      const result = outcome.result as SchemaResult
      return 'problems' in result ? result.problems : []
    },
  }
}

type Stopped = Extract<TaskOutcome, { kind: 'out_of_time' | 'out_of_memory' }>

const busy = () =>
  new Fault('unavailable', 'The service has too many JSON Schemas to check just now', {
    reason: 'shed',
    retryAfterSeconds: 1,
  })

const keyOf = (text: string): string => sha256(text).toString('base64')

const bytesOf = ({ schema, value = '' }: SchemaTask): number => schema.length + value.length

/** Undefined: too deep to be written as text. */
const textOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) return
    throw error
  }
}
