import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { SealedPlace } from '../../secrets/index.ts'
import { secretSealContext } from './webhook.ts'

type Page = { org: Uuid; dataKeyId: Buffer; after: Uuid | null; limit: number }
type Change = { org: Uuid; id: Uuid; from: Buffer; to: Buffer }
type Row = { id: Uuid; sealed: Buffer }

const placeOf = (name: string, list: typeof listSecrets, replace: typeof replaceSecret): SealedPlace => ({
  name,
  list: async (db, org, page) =>
    (await db.once(org, list({ org, ...page }))).map(({ id, sealed }) => ({
      key: id,
      sealed,
      record: secretSealContext(id),
    })),
  replace: async (db, org, { key: id, from, to }) => (await db.once(org, replace({ org, id, from, to }))).length === 1,
})

const listSecrets = statement<Page, Row>(
  'webhooks.list_sealed',
  sql`select id, secret as sealed from webhooks
    where org_id = :org and substr(secret, 2, 8) <> :dataKeyId and (:after::uuid is null or id > :after)
    order by id limit :limit`,
)

const replaceSecret = statement<Change, { id: Uuid }>(
  'webhooks.replace_sealed',
  sql`update webhooks set secret = :to where org_id = :org and id = :id and secret = :from returning id`,
)

const listOldSecrets = statement<Page, Row>(
  'webhooks.list_sealed_old',
  sql`select id, old_secret as sealed from webhooks
    where org_id = :org and substr(old_secret, 2, 8) <> :dataKeyId and (:after::uuid is null or id > :after)
    order by id limit :limit`,
)

const replaceOldSecret = statement<Change, { id: Uuid }>(
  'webhooks.replace_sealed_old',
  sql`update webhooks set old_secret = :to where org_id = :org and id = :id and old_secret = :from returning id`,
)

/** The sealed signing secrets of webhooks, for the rotation of data keys. */
export const webhookSecrets: readonly SealedPlace[] = [
  placeOf('webhooks.secret', listSecrets, replaceSecret),
  placeOf('webhooks.old_secret', listOldSecrets, replaceOldSecret),
]
