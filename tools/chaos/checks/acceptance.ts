import { toUuid } from '@ars/platform/id'
import type { Records } from '../records.ts'
import { isSuccess, type Operation } from './operations.ts'

/** C1: every run that a client was told of with a 2xx exists, and has a state. */
export function checkNothingLost(operations: readonly Operation[], records: Records): string[] {
  const stored = new Set(records.runs.map(({ id }) => id))
  const withState = new Set([...records.heads, ...records.results].map(({ run_id }) => run_id))
  const told = new Set(operations.filter(isSuccess).flatMap(({ answer }) => answer?.run_id ?? []))
  return [...told].flatMap((id) => {
    const uuid = toUuid(id)
    if (!stored.has(uuid)) return [`${id} was acknowledged and does not exist`]
    return withState.has(uuid) ? [] : [`${id} was acknowledged and is neither active nor ended`]
  })
}

/** C2: one run for each key: in what clients were told, in the key's claim, and in the runs themselves. */
export function checkOneRunPerKey(operations: readonly Operation[], records: Records): string[] {
  const runsByKey = new Map<string, Set<string>>()
  const add = (key: string, runId: string): void => {
    runsByKey.set(key, (runsByKey.get(key) ?? new Set()).add(runId))
  }
  for (const { key, answer } of operations.filter(isSuccess)) if (answer?.run_id) add(key, toUuid(answer.run_id))
  for (const { key, run_id } of records.claims) add(key, run_id)
  for (const { key, id } of records.runs) if (key !== null) add(key, id)
  return [...runsByKey]
    .filter(([, ids]) => ids.size > 1)
    .map(([key, ids]) => `key ${key} has ${ids.size} runs: ${[...ids].join(', ')}`)
}
