import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { account } from '../api/client.ts'
import { noteFailure, noteSignedIn, useConnection } from '../api/connection.ts'
import { sessionQuery, useSession } from '../session.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { Time, useNow } from '../ui/time.tsx'

const warnBeforeEndMs = 10 * 60_000

/** What a person must know about the connection and the session, below the header. */
export const ConnectionBars = () => {
  const { offlineSinceMs, limited, isScarce, isSignedOut } = useConnection()
  const session = useSession()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const next = useRouterState({ select: ({ location }) => location.href })
  const now = useNow(1_000)
  useEffect(() => {
    if (!isSignedOut) return
    noteSignedIn()
    void navigate({ to: '/login', search: next === '/' ? {} : { next } }).then(() => queryClient.clear())
  }, [isSignedOut, navigate, next, queryClient])
  // The next poll would tell as well, but only in a while.
  useEffect(() => {
    addEventListener('offline', noteFailure)
    return () => removeEventListener('offline', noteFailure)
  }, [])
  useEffect(() => {
    if (offlineSinceMs === null) return
    const ask = () => void account.me({ maxRetries: 0 }).catch(() => undefined)
    const timer = setInterval(ask, 5_000)
    addEventListener('online', ask)
    return () => {
      clearInterval(timer)
      removeEventListener('online', ask)
    }
  }, [offlineSinceMs])
  // The clock of this page ticks once a second, so it may be late.
  const leftMs = limited ? limited.untilMs - Math.max(now, Date.now()) : 0
  const isEnding = Date.parse(session.expires_at) - now < warnBeforeEndMs
  return (
    <>
      {offlineSinceMs !== null && (
        <Banner tone="bad">
          Offline since <Time at={new Date(offlineSinceMs).toISOString()} />. The page shows what it knew then.
        </Banner>
      )}
      {limited && leftMs > 0 && (
        <Banner tone="warn">
          {limited.kind === 'rate' ? 'The rate limit is reached.' : 'The service is busy or stops.'} Next try in{' '}
          <span className="num">{Math.ceil(leftMs / 1_000)} s</span>.
        </Banner>
      )}
      {isScarce && !limited && (
        <Banner tone="info">Most of the rate limit is used. The page refreshes less often.</Banner>
      )}
      {isEnding && (
        <Banner
          tone="warn"
          action={
            <Button isSmall onClick={() => void queryClient.invalidateQueries(sessionQuery)}>
              Stay logged in
            </Button>
          }
        >
          Your session ends <Time at={session.expires_at} isRelative />.
        </Banner>
      )}
    </>
  )
}
