import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates } from 'node:tls'
import { limits } from '@ars/contract'
import { createGatewayCore } from '@ars/core'
import { type AccessService, createAccess } from '@ars/core/access'
import { Config } from '@ars/core/config'
import { parseConfig } from '@ars/platform/config'
import { randomBytes } from '@ars/platform/crypto'
import { createLog } from '@ars/platform/log/log'
import { openParts } from '../parts.ts'

/**
 * `ars-server admin seed`: creates an organisation with the test agents and an API key. The key is printed once. With
 * `--key-file` it is also stored there (0600), and a second call with the same file returns the same organisation. With
 * `--owner-file` it also creates an owner, with the e-mail address and password of that file or with new ones, which are
 * stored there. `--client-folder` keeps the key there, with the certificate and a file `env` that a shell reads.
 */
export const seed = async (
  env: NodeJS.ProcessEnv,
  given: {
    keyFile: string | undefined
    clientFolder: string | undefined
    ownerFile: string | undefined
    json: boolean
  },
): Promise<number> => {
  const config = parseConfig(Config, env)
  const { clientFolder } = given
  const options = { ...given, keyFile: clientFolder === undefined ? given.keyFile : join(clientFolder, 'api-key') }
  if (clientFolder !== undefined) mkdirSync(clientFolder, { recursive: true, mode: 0o700 })
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
    const owner = await ownerOf(core, seeded.org, { file: options.ownerFile, isNew: seeded.key !== known })
    if (clientFolder !== undefined) writeClientFolder(clientFolder, config, seeded.key)
    const operator = { org: seeded.org, agentIds: null, isDemo: false, runOwner: null }
    const { data } = await core.agents.list(
      operator,
      { limit: limits.pageSizeMax },
      await core.agents.allowedAgents(operator),
    )
    const agents = data.map(({ id, name }) => ({ id, name })).toReversed()
    process.stdout.write(
      options.json
        ? `${JSON.stringify({ organisation: seeded.org, api_key: seeded.key, agents, ...(owner && { owner }) })}\n`
        : `API key   ${seeded.key}\n${owner ? `Owner     ${owner.email}  ${owner.password}\n` : ''}${agents.map(({ id, name }) => `${name.padEnd(12)} ${id}\n`).join('')}`,
    )
    return 0
  } finally {
    await core?.close()
    await parts.close()
  }
}

/** For a shell in the folder that has this folder as `ars`: the address, the key, and the certificate for curl and the SDKs. */
const writeClientFolder = (folder: string, { publicUrl, tlsCertFile }: Config, key: string): void => {
  const certificate = readFileSync(tlsCertFile, 'utf8').trim()
  const variables = {
    ARS_BASE_URL: `${publicUrl}/v2`,
    ARS_API_KEY: key,
    ARS_CA_FILE: '"$PWD/ars/cert.pem"',
    NODE_EXTRA_CA_CERTS: '"$PWD/ars/cert.pem"',
    // curl trusts the file that it is given and nothing else.
    CURL_CA_BUNDLE: '"$PWD/ars/bundle.pem"',
  }
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${value}\n`)
  writeFileSync(join(folder, 'cert.pem'), `${certificate}\n`)
  writeFileSync(join(folder, 'bundle.pem'), [certificate, ...getCACertificates('bundled'), ''].join('\n'))
  writeFileSync(join(folder, 'env'), lines.join(''), { mode: 0o600 })
}

/** Limits that neither development nor a benchmark reaches. */
const ample = { requestsPerMinute: 1_000_000, burst: 1_000_000 }

const plant = async (
  core: ReturnType<typeof createGatewayCore>,
  operator: Pick<AccessService, 'createOrganisation' | 'close'>,
): Promise<{ org: string; key: string }> => {
  const { org } = await operator.createOrganisation('Development', { plan: 'none', limits: ample })
  await operator.close()
  await core.agents.seedTestFamily(org)
  const { key } = await core.access.createKey(org, { name: 'Development' })
  return { org, key }
}

type Owner = { email: string; password: string }

const ownerOf = async (
  { people }: ReturnType<typeof createGatewayCore>,
  org: string,
  { file, isNew }: { file: string | undefined; isNew: boolean },
): Promise<Owner | undefined> => {
  if (file === undefined) return undefined
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Owner) : undefined
  if (!isNew && known) return known
  const owner = known ?? { email: 'owner@example.com', password: randomBytes(12).toString('base64url') }
  const { link } = await people.invitations.inviteByOperator(org, { email: owner.email, role: 'owner' })
  const token = new URL(link).hash.replace('#token=', '')
  const visitor = { address: '127.0.0.1', requestId: 'seed', userAgent: 'ars-server admin seed' }
  await people.invitations.accept(visitor, { token, name: 'Owner', password: owner.password })
  if (!known) writeFileSync(file, `${JSON.stringify(owner)}\n`, { mode: 0o600 })
  return owner
}
