import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createGatewayCore } from '@ars/core'
import { type AccessService, createAccess } from '@ars/core/access'
import { Config } from '@ars/core/config'
import { parseConfig } from '@ars/platform/config'
import { createLog } from '@ars/platform/log/log'
import { openParts } from '../parts.ts'

/**
 * `ars-server admin seed`: creates an organisation with the test agents and an API key. The key is printed once. With
 * `--key-file` it is also stored there (0600), and a second call with the same file returns the same organisation.
 */
export const seed = async (
  env: NodeJS.ProcessEnv,
  options: { keyFile: string | undefined; json: boolean },
): Promise<number> => {
  const config = parseConfig(Config, env)
  const log = createLog({ level: 'error', write: (line) => process.stderr.write(line) })
  const parts = await openParts({ config, environment: env, log })
  let core: ReturnType<typeof createGatewayCore> | undefined
  try {
    // It throws when the models file is broken; the connections must be closed all the same, or the process stays.
    core = createGatewayCore(parts)
    const known =
      options.keyFile !== undefined && existsSync(options.keyFile)
        ? readFileSync(options.keyFile, 'utf8').trim()
        : undefined
    const caller = known === undefined ? null : await core.access.authenticate(known)
    const seeded =
      known !== undefined && caller
        ? { org: caller.org, key: known }
        : await plant(core, createAccess({ ...parts, operator: parts.system }))
    if (options.keyFile !== undefined && seeded.key !== known)
      writeFileSync(options.keyFile, `${seeded.key}\n`, { mode: 0o600 })
    const operator = { org: seeded.org, agentIds: null, isDemo: false, runOwner: null }
    const { data } = await core.agents.list(operator, { limit: 100 }, await core.agents.allowedAgents(operator))
    const agents = data.map(({ id, name }) => ({ id, name })).toReversed()
    process.stdout.write(
      options.json
        ? `${JSON.stringify({ organisation: seeded.org, api_key: seeded.key, agents })}\n`
        : `API key   ${seeded.key}\n${agents.map(({ id, name }) => `${name.padEnd(12)} ${id}\n`).join('')}`,
    )
    return 0
  } finally {
    await core?.close()
    await parts.close()
  }
}

/** Limits that neither development nor a benchmark reaches. */
const ample = { requestsPerMinute: 1_000_000, burst: 1_000_000, callsPerMonth: 1_000_000_000 }

const plant = async (
  core: ReturnType<typeof createGatewayCore>,
  operator: Pick<AccessService, 'createOrganisation' | 'close'>,
): Promise<{ org: string; key: string }> => {
  const { org } = await operator.createOrganisation('Development', { plan: 'enterprise', limits: ample })
  await operator.close()
  await core.agents.seedTestFamily(org)
  const { key } = await core.access.createKey(org, { name: 'Development' })
  return { org, key }
}
