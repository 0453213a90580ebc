import { toUuid } from '@ars/platform/id'
import type { Organisation } from '../../lab/stack/organisation.ts'
import type { Records } from '../records.ts'
import { isSuccess, type Operation } from './operations.ts'

/** C1: every run that a client was told of with a 2xx exists, and has a state. */
export const checkNothingLost = (operations: readonly Operation[], records: Records): string[] => {
  const stored = new Set(records.runs.map(({ id }) => id))
  const withState = new Set([...records.heads, ...records.results].map(({ run_id }) => run_id))
  const told = new Set(operations.filter(isSuccess).flatMap(({ answer }) => answer?.run_id ?? []))
  return [...told].flatMap((id) => {
    const uuid = toUuid(id)
    if (!stored.has(uuid)) return [`${id} was acknowledged and does not exist`]
    return withState.has(uuid) ? [] : [`${id} was acknowledged and is neither active nor ended`]
  })
}

/** C2: one run for each key of an organisation: in what it was told, in the key's claim, and in the runs themselves. */
export const checkOneRunPerKey = (
  operations: readonly Operation[],
  records: Records,
  organisations: readonly Pick<Organisation, 'id' | 'label'>[],
): string[] => {
  const labels = new Map(organisations.map(({ id, label }) => [id, label]))
  const runsByKey = new Map<string, Set<string>>()
  const add = (org: string, key: string, runId: string): void => {
    const name = `${key} of ${org}`
    runsByKey.set(name, (runsByKey.get(name) ?? new Set()).add(runId))
  }
  for (const { org, key, what, answer } of operations.filter(isSuccess)) {
    if (answer?.run_id && (what === 'create' || what === 'stream')) add(org, key, toUuid(answer.run_id))
  }
  for (const { org_id, key, run_id } of records.claims) add(labels.get(org_id) ?? org_id, key, run_id)
  for (const { org_id, key, id } of records.runs) if (key !== null) add(labels.get(org_id) ?? org_id, key, id)
  return [...runsByKey]
    .filter(([, ids]) => ids.size > 1)
    .map(([name, ids]) => `key ${name} has ${ids.size} runs: ${[...ids].join(', ')}`)
}
