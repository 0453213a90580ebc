import { type AccessService, createAccess } from '@ars/core/access'
import { Config } from '@ars/core/config'
import { createPeople, type People } from '@ars/core/people'
import { parseConfig } from '@ars/platform/config'
import { createLog } from '@ars/platform/log/log'
import { openParts } from '../parts.ts'

/** Lends what the operator's commands work with, and puts it away afterwards, whatever happens. */
export const withDesk = async <Result>(
  env: NodeJS.ProcessEnv,
  work: (desk: { access: AccessService; people: People }) => Promise<Result>,
): Promise<Result> => {
  const config = parseConfig(Config, env)
  const log = createLog({ level: 'error', write: (line) => process.stderr.write(line) })
  const parts = await openParts(config, env, log, () => undefined)
  const access = createAccess(parts)
  const people = createPeople({ ...parts, forgetTokens: access.forget })
  try {
    return await work({ access, people })
  } finally {
    await Promise.all([access.close(), people.close()])
    await parts.close()
  }
}
