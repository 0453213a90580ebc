import { systemClock } from '@ars/platform/clock'
import { openDatabase } from '@ars/platform/db/database'
import { createIdMaker } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import type { TestDatabase } from '@ars/testkit/database'
import { createAccess } from '../src/access/index.ts'

/** Creates an organisation as the operator does: the role of the API may not. */
export const addOrganisation = async (
  { systemUrl }: Pick<TestDatabase, 'systemUrl'>,
  name = 'Test',
): Promise<string> => {
  const log = createLog({ level: 'silent' })
  const system = openDatabase({ url: systemUrl, name: 'operator', size: 1, acquireTimeoutMs: 30_000, log })
  const access = createAccess({ app: system, auth: system, clock: systemClock, newId: createIdMaker(systemClock) })
  try {
    return (await access.createOrganisation(name)).org
  } finally {
    await access.close()
    await system.close()
  }
}
