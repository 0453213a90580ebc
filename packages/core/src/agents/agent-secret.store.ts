import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { EnvelopeError } from '@ars/platform/envelope'
import { lowestId } from '@ars/platform/id-range'
import type { SealedPlace } from '../secrets/index.ts'
import { readRemoteConfig, secretsSealContext, signingSecretSealContext } from './remote-agent.ts'

type Config = Readonly<Record<string, unknown>>

const recordOf = (id: string, config: Config): string => {
  const remote = readRemoteConfig(config)
  if (!remote) throw new EnvelopeError(`Agent ${id} has secrets and is not a remote agent`)
  return secretsSealContext(id, remote)
}

const ofAgents: SealedPlace = {
  name: 'agents.secrets',
  list: async (db, org, page) =>
    (await db.once(org, list({ org, ...page }))).map(({ id, secrets, config }) => ({
      key: id,
      sealed: secrets,
      record: recordOf(id, config),
    })),
  replace: async (db, org, { key: id, from, to }) => (await db.once(org, replace({ org, id, from, to }))).length === 1,
}

const ofVersions: SealedPlace = {
  name: 'agent_versions.secrets',
  list: async (db, org, { dataKeyId, after, limit }) => {
    const rows = await db.once(org, listVersions({ org, dataKeyId, ...toVersionKey(after), limit }))
    return rows.map(({ agent_id: id, version, secrets, config }) => ({
      key: `${id}/${version}`,
      sealed: secrets,
      record: recordOf(id, config),
    }))
  },
  replace: async (db, org, { key, from, to }) => {
    const { id, version } = toVersionKey(key)
    return (await db.once(org, replaceVersion({ org, id, version, from, to }))).length === 1
  },
}

const toVersionKey = (key: string | null): { id: Uuid; version: number } => {
  const [id = lowestId, version = '0'] = key?.split('/') ?? []
  return { id, version: Number(version) }
}

type Page = { org: Uuid; dataKeyId: Buffer; after: Uuid | null; limit: number }
type Change = { org: Uuid; id: Uuid; from: Buffer; to: Buffer }

const ofSigning = (name: string, list: typeof listSigning, replace: typeof replaceSigning): SealedPlace => ({
  name,
  list: async (db, org, page) =>
    (await db.once(org, list({ org, ...page }))).map(({ id, sealed }) => ({
      key: id,
      sealed,
      record: signingSecretSealContext(id),
    })),
  replace: async (db, org, { key: id, from, to }) => (await db.once(org, replace({ org, id, from, to }))).length === 1,
})

const listSigning = statement<Page, { id: Uuid; sealed: Buffer }>(
  'agents.list_sealed_signing',
  sql`select id, signing_secret as sealed from agents
    where org_id = :org and substr(signing_secret, 2, 8) <> :dataKeyId and (:after::uuid is null or id > :after)
    order by id limit :limit`,
)

const replaceSigning = statement<Change, { id: Uuid }>(
  'agents.replace_sealed_signing',
  sql`update agents set signing_secret = :to where org_id = :org and id = :id and signing_secret = :from returning id`,
)

const listOldSigning = statement<Page, { id: Uuid; sealed: Buffer }>(
  'agents.list_sealed_old_signing',
  sql`select id, old_signing_secret as sealed from agents
    where org_id = :org and substr(old_signing_secret, 2, 8) <> :dataKeyId and (:after::uuid is null or id > :after)
    order by id limit :limit`,
)

const replaceOldSigning = statement<Change, { id: Uuid }>(
  'agents.replace_sealed_old_signing',
  sql`update agents set old_signing_secret = :to
    where org_id = :org and id = :id and old_signing_secret = :from returning id`,
)

/** The sealed secrets of remote agents and of their versions, for the rotation of data keys. */
export const agentSecrets: readonly SealedPlace[] = [
  ofAgents,
  ofVersions,
  ofSigning('agents.signing_secret', listSigning, replaceSigning),
  ofSigning('agents.old_signing_secret', listOldSigning, replaceOldSigning),
]

const list = statement<
  { org: Uuid; dataKeyId: Buffer; after: Uuid | null; limit: number },
  { id: Uuid; config: Config; secrets: Buffer }
>(
  'agents.list_sealed',
  sql`select id, config, secrets from agents
    where org_id = :org and substr(secrets, 2, 8) <> :dataKeyId and (:after::uuid is null or id > :after)
    order by id limit :limit`,
)

const replace = statement<{ org: Uuid; id: Uuid; from: Buffer; to: Buffer }, { id: Uuid }>(
  'agents.replace_sealed',
  sql`update agents set secrets = :to where org_id = :org and id = :id and secrets = :from returning id`,
)

const listVersions = statement<
  { org: Uuid; dataKeyId: Buffer; id: Uuid; version: number; limit: number },
  { agent_id: Uuid; version: number; config: Config; secrets: Buffer }
>(
  'agent_versions.list_sealed',
  sql`select agent_id, version, config, secrets from agent_versions
    where org_id = :org and substr(secrets, 2, 8) <> :dataKeyId and (agent_id, version) > (:id, :version)
    order by agent_id, version limit :limit`,
)

const replaceVersion = statement<
  { org: Uuid; id: Uuid; version: number; from: Buffer; to: Buffer },
  { agent_id: Uuid }
>(
  'agent_versions.replace_sealed',
  sql`update agent_versions set secrets = :to
    where org_id = :org and agent_id = :id and version = :version and secrets = :from returning agent_id`,
)
