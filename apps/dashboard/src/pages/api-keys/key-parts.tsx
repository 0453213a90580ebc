import type { ApiKey } from '@agent-run-service/sdk'
import { limits } from '@agent-run-service/sdk'
import { Link } from '@tanstack/react-router'
import { Ban, Clock, RefreshCw, TriangleAlert } from 'lucide-react'
import { useActorName } from '../../api/members.ts'
import { Badge } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { duration } from '../../ui/format.ts'
import { Time, useNow } from '../../ui/time.tsx'
import { isExposed, isInGrace, isStillUsed, keyState } from './key-state.ts'

/** The state of a key that is not simply active. */
export const KeyBadge = ({ apiKey }: { apiKey: ApiKey }) => {
  const now = Date.now()
  const state = keyState(apiKey, now)
  if (isExposed(apiKey, now)) return <Badge label="Exposed" tone="bad" Icon={TriangleAlert} />
  if (state === 'revoked') return <Badge label="Revoked" tone="plain" Icon={Ban} />
  if (state === 'expired') return <Badge label="Expired" tone="plain" Icon={Clock} />
  return state === 'rotated' ? <Badge label="Rotated" tone="warn" Icon={RefreshCw} /> : null
}

/** When the key was last used; for a rotated key also whether something still has it. */
export const LastUsed = ({ apiKey }: { apiKey: ApiKey }) => {
  if (apiKey.last_used_at === null) return <span className="text-ink-3">Never</span>
  const isWorrying = isInGrace(apiKey, Date.now()) && isStillUsed(apiKey, limits.keyGraceHours)
  return (
    <>
      <Time at={apiKey.last_used_at} isRelative />
      {isWorrying && <span className="text-warn">: still in use</span>}
    </>
  )
}

/** When the key ends. A rotated key counts down its last hours. */
export const KeyEnd = ({ apiKey }: { apiKey: ApiKey }) => {
  const isCounting = isInGrace(apiKey, Date.now())
  const now = useNow(1_000, isCounting)
  if (apiKey.revoked_at !== null) return <Time at={apiKey.revoked_at} />
  if (apiKey.grace_until !== null && isCounting) {
    return <span className="num text-warn">Ends in {duration(Math.max(0, Date.parse(apiKey.grace_until) - now))}</span>
  }
  if (apiKey.grace_until !== null) return <Time at={apiKey.grace_until} />
  return apiKey.expires_at === null ? <span className="text-ink-3">Never</span> : <Time at={apiKey.expires_at} />
}

export const KeyMaker = ({ id }: { id: string | null }) => {
  const nameOf = useActorName()
  if (id?.startsWith('key_')) {
    return (
      <Link
        to="/settings/api-keys/$keyId"
        params={{ keyId: id }}
        className="relative z-10 text-accent hover:underline"
        title={id}
      >
        {nameOf(id)}
      </Link>
    )
  }
  return <span title={id ?? undefined}>{nameOf(id)}</span>
}

/** A key that was sent over plain HTTP. */
export const ExposedBanner = (props: { apiKey: ApiKey; reason: string | undefined; onRotate(): void }) => (
  <Banner
    tone="bad"
    action={
      <Button isSmall kind="danger" reason={props.reason} onClick={props.onRotate}>
        Rotate
      </Button>
    }
  >
    The key <strong>{props.apiKey.name}</strong> was sent over plain HTTP, where others can read it. Rotate it, then
    revoke the old one.
  </Banner>
)
