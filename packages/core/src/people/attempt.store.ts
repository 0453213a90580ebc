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

// crosses organisations: an attempt of a browser or a session that is known to the account, which strangers do not use up.
export const countOwnAttempt = async (db: Database, subject: Buffer): Promise<Count> => {
  const { loginsPerAccount: maxPerAccount, loginWindowSeconds: windowSeconds } = limits
  const [row] = await db.once(null, countOwn({ account: subject, maxPerAccount, windowSeconds }))
  if (!row) throw new Error('The database did not return the count of attempts')
  return row
}

// crosses organisations: a correct password is no guess, so its own attempt does not count. Those before it do: the address may
// belong to several accounts, and the password of one must not clear the guesses at another.
export const uncountAttempt = async (tx: Tx, subject: Buffer): Promise<void> => {
  await tx.query(uncount({ subject }))
}

type CountParameters = {
  address: Buffer
  account: Buffer
  maxPerAddress: number
  maxPerAccount: number
  windowSeconds: number
}

// The window of an account starts with its last counted attempt, so that no interval of this length contains more than the
// limit. Refused attempts do not move it.
const oneMore = `on conflict (subject) do update set
       attempts = case when l.window_at <= app_now() - make_interval(secs => :windowSeconds) then 1
                       else least(l.attempts + 1, :maxPerAccount::integer + 2) end,
       window_at = case when l.window_at > app_now() - make_interval(secs => :windowSeconds) and l.attempts >= :maxPerAccount::integer
                        then l.window_at else greatest(l.window_at, app_now()) end
     returning attempts, window_at`

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
   ), account as (
     insert into login_attempts as l (subject, window_at, attempts)
     select :account, app_now(), 1 from address where attempts <= :maxPerAddress::integer
     ${oneMore}
   )
   select d.attempts as address_attempts, a.attempts as account_attempts,
          extract(epoch from d.window_at - app_now())::float8 + :windowSeconds as address_wait_seconds,
          extract(epoch from a.window_at - app_now())::float8 + :windowSeconds as account_wait_seconds
     from address d left join account a on true`,
)

const countOwn = statement<Omit<CountParameters, 'address' | 'maxPerAddress'>, Count>(
  'people.count_own_attempt',
  sql`with account as (
     insert into login_attempts as l (subject, window_at, attempts) values (:account, app_now(), 1)
     ${oneMore}
   )
   select 0 as address_attempts, attempts as account_attempts, 0::float8 as address_wait_seconds,
          extract(epoch from window_at - app_now())::float8 + :windowSeconds as account_wait_seconds
     from account`,
)

const uncount = statement<{ subject: Buffer }>(
  'people.uncount_attempt',
  sql`update login_attempts set attempts = greatest(attempts - 1, 0) where subject = :subject`,
)
