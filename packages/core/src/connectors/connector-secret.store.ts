import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { SealedPlace } from '../secrets/index.ts'
import { sealContextOf } from './connector.ts'

/** The sealed credentials of connectors, for the rotation of data keys. */
export const connectorSecrets: SealedPlace = {
  name: 'connectors.credential',
  list: async (db, org, page) =>
    (await db.once(org, list({ org, ...page }))).map((row) => ({
      key: row.id,
      sealed: row.credential,
      record: sealContextOf(row),
    })),
  replace: async (db, org, { key: id, from, to }) => (await db.once(org, replace({ org, id, from, to }))).length === 1,
}

const list = statement<
  { org: Uuid; dataKeyId: Buffer; after: Uuid | null; limit: number },
  { id: Uuid; url: string; auth_header: string | null; credential: Buffer }
>(
  'connectors.list_sealed',
  sql`select id, url, auth_header, credential from connectors
    where org_id = :org and substr(credential, 2, 8) <> :dataKeyId and (:after::uuid is null or id > :after)
    order by id limit :limit`,
)

const replace = statement<{ org: Uuid; id: Uuid; from: Buffer; to: Buffer }, { id: Uuid }>(
  'connectors.replace_sealed',
  sql`update connectors set credential = :to where org_id = :org and id = :id and credential = :from returning id`,
)
