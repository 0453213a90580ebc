import type { AnsweredLine, JournalLine, SentLine } from '../journal.ts'
import type { Outage } from '../supervision.ts'

/** One call of a client, from both of its lines. Without an answer the client itself did not live to hear it. */
export type Operation = SentLine & {
  answer: AnsweredLine | undefined
}

export const operationsOf = (journal: readonly JournalLine[]): Operation[] => {
  const answers = new Map(journal.filter((line) => line.kind === 'answered').map((line) => [line.call, line]))
  return journal.filter((line) => line.kind === 'sent').map((sent) => ({ ...sent, answer: answers.get(sent.call) }))
}

export const isSuccess = (operation: Operation): boolean => {
  const status = operation.answer?.status ?? 0
  return status >= 200 && status < 300
}

/** The answer is one that the client asked for: a 2xx, unless it named others. */
export const isExpected = (operation: Operation): boolean =>
  operation.expects?.includes(operation.answer?.status ?? 0) ?? isSuccess(operation)

/** After a part has answered again, others still find out: pools reconnect, the engine's next retry comes. */
export const settleMs = 3000

export type Vacuity = {
  outside: number
  succeeded: number
  violations: string[]
}

/**
 * The guard against a test that passes because nothing worked: of the calls that met no outage, nine in ten must have
 * succeeded, and there must have been enough of them to tell.
 */
export const checkNotVacuous = (
  operations: readonly Operation[],
  outages: readonly Outage[],
  { least = 20, share = 0.9 }: { least?: number; share?: number } = {},
): Vacuity => {
  const outside = operations.filter(
    (operation) => !operation.is_sabotaged && !outages.some((outage) => overlaps(operation, outage)),
  )
  const succeeded = outside.filter(isExpected).length
  const violations: string[] = []
  if (outside.length < least) violations.push(`only ${outside.length} calls met no outage; ${least} are needed to tell`)
  else if (succeeded < share * outside.length) {
    violations.push(`of ${outside.length} calls that met no outage only ${succeeded} succeeded`)
  }
  return { outside: outside.length, succeeded, violations }
}

const overlaps = (operation: Operation, outage: Outage): boolean => {
  const endMs = operation.answer?.at_ms ?? Number.POSITIVE_INFINITY
  const untilMs = (outage.untilMs ?? Number.POSITIVE_INFINITY) + settleMs
  return operation.at_ms <= untilMs && endMs >= outage.fromMs
}
