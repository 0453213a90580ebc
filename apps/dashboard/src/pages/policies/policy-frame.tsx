import { limits, type Policy } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { policyQuery, usePolicyChanges } from '../../api/policies.ts'
import { useReason } from '../../session.ts'
import { MissingState } from '../../shell/missing-state.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Time } from '../../ui/time.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'
import { PolicyBadge } from './policy-badge.tsx'

/** Header, actions and tabs of the pages of one policy. */
export const PolicyFrame = (props: {
  policyId: string
  /** The tab in the title of the browser's tab. */
  part?: string
  children(policy: Policy): ReactNode
}) => {
  const policy = useQuery(policyQuery(props.policyId))
  if (policy.isPending) return <Skeleton />
  if (!policy.data) {
    return <MissingState what="Policy" id={props.policyId} error={policy.error} onRetry={() => void policy.refetch()} />
  }
  return (
    <>
      <PolicyHead policy={policy.data} part={props.part} />
      {props.children(policy.data)}
    </>
  )
}

const archivedReason = 'The policy is archived. Create a new one with the same rules.'

/** Why a person cannot change the policy; undefined if they can. */
export const usePolicyReason = ({ status }: Policy): string | undefined => {
  const reason = useReason('policies:write')
  return status === 'archived' ? archivedReason : reason
}

const PolicyHead = ({ policy, part }: { policy: Policy; part: string | undefined }) => {
  const navigate = useNavigate()
  const reason = usePolicyReason(policy)
  const { archive } = usePolicyChanges()
  const [isArchiving, setIsArchiving] = useState(false)
  const params = { policyId: policy.id }
  return (
    <>
      <PageHeader
        title={policy.name}
        tabTitle={part === undefined ? policy.name : `${policy.name}: ${part}`}
        trail={<Link to="/policies">Policies</Link>}
        aside={<PolicyBadge policy={policy} />}
      >
        <ModeButtons policy={policy} reason={reason} />
        {part !== 'Edit' && (
          <Button
            kind="primary"
            reason={reason}
            onClick={() => void navigate({ to: '/policies/$policyId/edit', params })}
          >
            Edit
          </Button>
        )}
        <Menu
          label="More actions"
          items={[{ label: 'Archive', isDanger: true, reason, onSelect: () => setIsArchiving(true) }]}
        />
      </PageHeader>
      <Tabs
        label="Policy"
        tabs={[
          { label: 'Overview', to: '/policies/$policyId', params },
          { label: 'Trials', to: '/policies/$policyId/trials', params },
        ]}
      />
      <StateBanner policy={policy} />
      <ConfirmDialog
        isOpen={isArchiving}
        onClose={() => setIsArchiving(false)}
        title={`Archive ${policy.name}?`}
        description="All its attachments end, so it judges no new run. Its versions stay readable. An archived policy cannot be used again."
        verb="Archive policy"
        onConfirm={async () => {
          await archive(policy.id)
          toast('The policy is archived.')
        }}
      />
    </>
  )
}

/** Enforce, shadow, and once more shadow. Enforce stands first, so that it does not come to the place of Shadow. */
const ModeButtons = ({ policy, reason }: { policy: Policy; reason: string | undefined }) => {
  const { update } = usePolicyChanges()
  const [busy, setBusy] = useState<'enforce' | 'shadow' | null>(null)
  const isWatching = policy.mode === 'shadow'
  const set = async (mode: 'enforce' | 'shadow') => {
    setBusy(mode)
    try {
      await update(policy.id, { mode })
      toast(mode === 'enforce' ? 'The policy is enforced.' : `Shadow mode ends in ${limits.policyShadowDays} days.`)
    } catch (error) {
      toastProblem('Change the mode: failed', error)
    } finally {
      setBusy(null)
    }
  }
  return (
    <>
      {isWatching && (
        <Button reason={reason} isBusy={busy === 'enforce'} onClick={() => void set('enforce')}>
          Enforce
        </Button>
      )}
      <Button reason={reason} isBusy={busy === 'shadow'} onClick={() => void set('shadow')}>
        {isWatching ? 'Renew shadow' : 'Shadow'}
      </Button>
    </>
  )
}

const StateBanner = ({ policy }: { policy: Policy }) => {
  if (policy.status === 'archived') {
    return (
      <Banner tone="info">
        Archived <Time at={policy.archived_at} />. It judges nothing.
      </Banner>
    )
  }
  if (policy.status === 'ended')
    return <Banner tone="warn">Its time in shadow mode is over. It judges nothing until you set a mode.</Banner>
  return policy.mode === 'shadow' ? (
    <Banner tone="info">
      Shadow mode until <Time at={policy.shadow_until} />: it records what it finds and changes nothing.
    </Banner>
  ) : null
}
