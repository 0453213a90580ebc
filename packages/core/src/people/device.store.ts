import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { deviceDays, devicesPerUser } from './device.ts'

// crosses organisations: a browser is recognised before a person has logged in. Answers the account that it belongs to.
export const findDevice = async (
  db: Database,
  { hash, email, org }: { hash: Buffer; email: string; org: string | undefined },
): Promise<string | null> => {
  const [row] = await db.once(null, find({ hash, email, org: org ?? null, days: deviceDays }))
  return row?.user_id ?? null
}

// crosses organisations: an account belongs to none of them. Stores the browser, or that it was used again.
export const keepDevice = async (tx: Tx, { hash, user }: { hash: Buffer; user: string }): Promise<void> => {
  await tx.query(keep({ hash, userId: user }))
  await tx.query(dropSurplus({ userId: user, max: devicesPerUser }))
}

// crosses organisations: a new password ends what browsers of the account are known for.
export const deleteDevices = async (tx: Tx, user: string): Promise<void> => {
  await tx.query(drop({ userId: user }))
}

const find = statement<{ hash: Buffer; email: string; org: Uuid | null; days: number }, { user_id: string }>(
  'people.find_device',
  sql`select d.user_id from login_devices d join users u on u.id = d.user_id
    where d.hash = :hash and u.email = :email and d.used_at > app_now() - make_interval(days => :days)
      and exists (select from members m where m.user_id = u.id and (:org::uuid is null or m.org_id = :org))`,
)

const keep = statement<{ hash: Buffer; userId: Uuid }>(
  'people.keep_device',
  sql`insert into login_devices (hash, user_id, used_at) values (:hash, :userId, app_now())
   on conflict (hash) do update set user_id = excluded.user_id, used_at = excluded.used_at`,
)

const dropSurplus = statement<{ userId: Uuid; max: number }>(
  'people.drop_surplus_devices',
  sql`delete from login_devices where hash in (
     select hash from login_devices where user_id = :userId order by used_at desc, hash offset :max)`,
)

const drop = statement<{ userId: Uuid }>('people.drop_devices', sql`delete from login_devices where user_id = :userId`)
