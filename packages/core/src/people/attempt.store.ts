import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { Count } from './attempt.ts'

// crosses organisations: somebody who tries to log in belongs to none yet. Counts a try for the address and, if that
// one may go on, for the account, in one statement: however many come at once, no two see the same number.
export const countAttempt = async (db: Database, subjects: { address: Buffer; account: Buffer }): Promise<Count> => {
  const { address, account } = subjects
  const { loginsPerAddress, loginsPerAccount, loginWindowSeconds } = limits
  const [row] = await db.once<Count>(
    null,
    count(address, loginsPerAddress, account, loginsPerAccount, loginWindowSeconds),
  )
  if (!row) throw new Error('The database did not answer with the count of attempts')
  return row
}

// crosses organisations: whoever has shown the password is nobody's guess.
export const forgiveAccount = async (tx: Tx, account: Buffer): Promise<void> => {
  await tx.query(forgive(account))
}

// The window of an address begins with its first try. That of an account begins with its last one that was looked at, so
// that no quarter of an hour, wherever it is laid, holds more than ten of them. Tries that are refused move nothing.
const count = statement(
  'people.count_attempt',
  `with address as (
     insert into login_attempts as l (subject, window_at, attempts) values ($1, app_now(), 1)
     on conflict (subject) do update set
       attempts = case when l.window_at <= app_now() - make_interval(secs => $5) then 1
                       else least(l.attempts + 1, $2::integer + 1) end,
       window_at = case when l.window_at <= app_now() - make_interval(secs => $5) then app_now() else l.window_at end
     returning attempts, window_at
   ), account as (
     insert into login_attempts as l (subject, window_at, attempts)
     select $3, app_now(), 1 from address where attempts <= $2::integer
     on conflict (subject) do update set
       attempts = case when l.window_at <= app_now() - make_interval(secs => $5) then 1
                       else least(l.attempts + 1, $4::integer + 2) end,
       window_at = case when l.window_at > app_now() - make_interval(secs => $5) and l.attempts >= $4::integer
                        then l.window_at else greatest(l.window_at, app_now()) end
     returning attempts, window_at
   )
   select d.attempts as address_attempts, a.attempts as account_attempts,
          extract(epoch from d.window_at - app_now())::float8 + $5 as address_wait_seconds,
          extract(epoch from a.window_at - app_now())::float8 + $5 as account_wait_seconds
     from address d left join account a on true`,
)

const forgive = statement('people.forgive_account', 'delete from login_attempts where subject = $1')
