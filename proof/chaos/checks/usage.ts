import type { Organisation } from '../../lab/stack/organisation.ts'
import type { Records } from '../records.ts'
import { isSuccess, type Operation } from './operations.ts'

/**
 * C6: the usage of an organisation is the number of its accepted calls that were not replays, which is as many as it has
 * runs. By the journal these are the runs that it was told of; of a key without any answer nobody but the database
 * knows whether it was accepted. No client asks for the runs of pipelines, schedules and batches one by one.
 */
export const checkCallsCounted = ({
  operations,
  records,
  counted,
  organisations,
}: {
  operations: readonly Operation[]
  records: Pick<Records, 'runs'>
  counted: readonly { org_id: string; calls: number }[]
  organisations: readonly Pick<Organisation, 'id' | 'label'>[]
}): { calls: number; violations: string[] } => {
  const violations = organisations.flatMap(({ id, label }) => {
    const calls = counted.find(({ org_id }) => org_id === id)?.calls ?? 0
    const own = records.runs.filter(({ org_id }) => org_id === id)
    const runs = own.length
    const asked = calls - own.filter(({ is_of_work }) => is_of_work).length
    const creating = operations.filter(({ org, what }) => org === label && (what === 'create' || what === 'stream'))
    const told = new Set(creating.filter(isSuccess).flatMap(({ answer }) => answer?.run_id ?? [])).size
    const heard = new Set(creating.filter(isSuccess).map(({ key }) => key))
    // A gateway that loses its database may have accepted the run before it could say so.
    const inDoubt = new Set(creating.filter(({ answer }) => isOpen(answer?.status ?? 0)).map(({ key }) => key))
    const unheard = [...inDoubt].filter((key) => !heard.has(key)).length
    return [
      ...(calls === runs ? [] : [`${label} has ${runs} runs and ${calls} counted calls`]),
      ...(asked >= told && asked <= told + unheard
        ? []
        : [
            `${label} received ${told} run ids, ${unheard} keys are in doubt, and ${asked} counted calls were asked for one by one`,
          ]),
    ]
  })
  return { calls: counted.reduce((sum, { calls }) => sum + calls, 0), violations }
}

const isOpen = (status: number): boolean => status === 0 || status === 503
