import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement } from '@ars/platform/db/statement'
import type { Count } from './attempt.ts'

// crosses organisations: a login attempt belongs to none yet. Counts it for the address and, if the address is not
// throttled, for the account, in one statement, so that no two concurrent attempts see the same number.
export const countAttempt = async (db: Database, subjects: { address: Buffer; account: Buffer }): Promise<Count> => {
  const { address, account } = subjects
  const [row] = await db.once(
    null,
    count({
      address,
      account,
      maxPerAddress: limits.loginsPerAddress,
      maxPerAccount: limits.loginsPerAccount,
      windowSeconds: limits.loginWindowSeconds,
    }),
  )
  if (!row) throw new Error('The database did not return the count of attempts')
  return row
}

// crosses organisations: a correct password resets the count of the account.
export const forgiveAccount = async (tx: Tx, account: Buffer): Promise<void> => {
  await tx.query(forgive({ account }))
}

type CountParameters = {
  address: Buffer
  account: Buffer
  maxPerAddress: number
  maxPerAccount: number
  windowSeconds: number
}

const count = statement<CountParameters, Count>(
  'people.count_attempt',
  sql`with address as (
     -- The window of an address starts with its first attempt.
     insert into login_attempts as l (subject, window_at, attempts) values (:address, app_now(), 1)
     on conflict (subject) do update set
       attempts = case when l.window_at <= app_now() - make_interval(secs => :windowSeconds) then 1
                       else least(l.attempts + 1, :maxPerAddress::integer + 1) end,
       window_at = case when l.window_at <= app_now() - make_interval(secs => :windowSeconds) then app_now() else l.window_at end
     returning attempts, window_at

   -- The window of an account starts with its last counted attempt, so that no interval of this length contains more
   -- than the limit. Refused attempts do not move it.
   ), account as (
     insert into login_attempts as l (subject, window_at, attempts)
     select :account, app_now(), 1 from address where attempts <= :maxPerAddress::integer
     on conflict (subject) do update set
       attempts = case when l.window_at <= app_now() - make_interval(secs => :windowSeconds) then 1
                       else least(l.attempts + 1, :maxPerAccount::integer + 2) end,
       window_at = case when l.window_at > app_now() - make_interval(secs => :windowSeconds) and l.attempts >= :maxPerAccount::integer
                        then l.window_at else greatest(l.window_at, app_now()) end
     returning attempts, window_at
   )
   select d.attempts as address_attempts, a.attempts as account_attempts,
          extract(epoch from d.window_at - app_now())::float8 + :windowSeconds as address_wait_seconds,
          extract(epoch from a.window_at - app_now())::float8 + :windowSeconds as account_wait_seconds
     from address d left join account a on true`,
)

const forgive = statement<{ account: Buffer }>(
  'people.forgive_account',
  sql`delete from login_attempts where subject = :account`,
)
