import type { ApiKey, Scope } from '@agent-run-service/sdk'
import { limits } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useAgentName } from '../../api/agents.ts'
import { apiKeyQuery, keysBelowQuery } from '../../api/api-keys.ts'
import { useReason } from '../../session.ts'
import { MissingState } from '../../shell/missing-state.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { DetailList } from '../../ui/detail-list.tsx'
import { duration } from '../../ui/format.ts'
import { Id } from '../../ui/id.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time, useNow } from '../../ui/time.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { type KeyDialog, KeyDialogs } from './key-dialogs.tsx'
import { ExposedBanner, KeyBadge, KeyEnd, KeyMaker, LastUsed } from './key-parts.tsx'
import { isExposed, isInGrace, isStillUsed, isUsable, maskedKey } from './key-state.ts'

export const ApiKeyPage = () => {
  const { keyId } = useParams({ from: '/app/settings/api-keys/$keyId' })
  const [isWatched, setIsWatched] = useState(false)
  const { data: key, error, refetch } = useQuery(apiKeyQuery(keyId, isWatched))
  const isGrace = key !== undefined && isInGrace(key, Date.now())
  if (isGrace !== isWatched) setIsWatched(isGrace)
  if (key) return <KeyView apiKey={key} />
  return error ? <MissingState what="API key" id={keyId} error={error} onRetry={() => void refetch()} /> : <Skeleton />
}

const KeyView = ({ apiKey: key }: { apiKey: ApiKey }) => {
  const reason = useReason('keys:write')
  const agentName = useAgentName()
  const [open, setOpen] = useState<KeyDialog | null>(null)
  const now = Date.now()
  const ended = isUsable(key, now) ? reason : 'The key does not work any more.'
  const rotated = key.rotated_to === null ? ended : 'The key was rotated before.'
  return (
    <>
      <PageHeader
        trail={
          <Link to="/settings/api-keys" className="hover:underline">
            API keys
          </Link>
        }
        title={key.name}
      >
        <KeyBadge apiKey={key} />
        <Button reason={rotated} onClick={() => setOpen({ act: 'rotate', key })}>
          Rotate
        </Button>
        <Button reason={rotated} onClick={() => setOpen({ act: 'edit', key })}>
          Edit
        </Button>
        <Button kind="danger" reason={ended} onClick={() => setOpen({ act: 'revoke', key })}>
          Revoke
        </Button>
      </PageHeader>
      {isExposed(key, now) && key.rotated_to === null && (
        <ExposedBanner apiKey={key} reason={reason} onRotate={() => setOpen({ act: 'rotate', key })} />
      )}
      {isInGrace(key, now) && (
        <GraceBanner apiKey={key} reason={reason} onRevoke={() => setOpen({ act: 'revoke', key })} />
      )}
      <div className="grid gap-6 p-4 lg:grid-cols-2">
        <DetailList
          items={[
            ['Id', <Id key="id" id={key.id} />],
            [
              'Key',
              <code key="key" className="font-mono text-xs">
                {maskedKey(key)}
              </code>,
            ],
            ['Kind', wordOf(words.apiKeyKinds, key.kind)],
            [
              'Agents',
              key.agent_ids === null ? 'All' : <AgentLinks key="agents" ids={key.agent_ids} nameOf={agentName} />,
            ],
            ['Last used', <LastUsed key="used" apiKey={key} />],
            [key.revoked_at === null ? 'Expires' : 'Revoked', <KeyEnd key="end" apiKey={key} />],
            ['Made by', <KeyMaker key="by" id={key.created_by} />],
            ['Created', <Time key="at" at={key.created_at} />],
            ...(key.rotated_to === null ? [] : [['Replaced by', <KeyMaker key="to" id={key.rotated_to} />] as const]),
          ]}
        />
        <section>
          <h2 className="mb-2 font-semibold">Scopes</h2>
          <ul>
            {key.scopes.map((scope) => (
              <li key={scope} className="flex gap-2">
                <code className="w-40 shrink-0 font-mono text-xs">{scope}</code>
                <span className="text-ink-2">{words.scopes[scope as Scope] ?? ''}</span>
              </li>
            ))}
          </ul>
        </section>
        <KeysBelow id={key.id} />
      </div>
      <KeyDialogs open={open} onClose={() => setOpen(null)} />
    </>
  )
}

const AgentLinks = ({ ids, nameOf }: { ids: readonly string[]; nameOf(id: string): string }) => (
  <ul>
    {ids.map((id) => (
      <li key={id}>
        <Link to="/agents/$agentId" params={{ agentId: id }} className="text-accent hover:underline">
          {nameOf(id)}
        </Link>
      </li>
    ))}
  </ul>
)

const GraceBanner = (props: { apiKey: ApiKey; reason: string | undefined; onRevoke(): void }) => {
  const { apiKey } = props
  const now = useNow(1_000)
  const left = duration(Math.max(0, Date.parse(apiKey.grace_until ?? '') - now))
  return (
    <Banner
      tone="warn"
      action={
        <Button isSmall kind="danger" reason={props.reason} onClick={props.onRevoke}>
          Revoke now
        </Button>
      }
    >
      This key was rotated and works for another <span className="num">{left}</span>.{' '}
      {isStillUsed(apiKey, limits.keyGraceHours) ? (
        <>
          Used <Time at={apiKey.last_used_at} isRelative />: something still has it.
        </>
      ) : (
        'Nothing has used it since.'
      )}
    </Banner>
  )
}

/** The keys that this key has created. */
const KeysBelow = ({ id }: { id: string }) => {
  const { data: keys = [] } = useQuery(keysBelowQuery(id))
  if (keys.length === 0) return null
  return (
    <section>
      <h2 className="mb-2 font-semibold">Keys that it created</h2>
      <ul>
        {keys.map((key) => (
          <li key={key.id} className="flex items-center gap-2">
            <Link to="/settings/api-keys/$keyId" params={{ keyId: key.id }} className="text-accent hover:underline">
              {key.name}
            </Link>
            <code className="font-mono text-ink-3 text-xs">{maskedKey(key)}</code>
            <KeyBadge apiKey={key} />
          </li>
        ))}
      </ul>
    </section>
  )
}
