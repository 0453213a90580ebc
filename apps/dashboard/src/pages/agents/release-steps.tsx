import { useQuery } from '@tanstack/react-query'
import { openDeploymentsQuery } from '../../api/deployments.ts'
import { Banner } from '../../ui/banner.tsx'
import type { Change } from './agent-changes.ts'
import type { FieldFault } from './agent-fields.ts'
import { ChangeList } from './change-list.tsx'
import type { RolloutFields } from './rollout.ts'
import { RolloutForm } from './rollout-form.tsx'

/** What the edit changes. A new credential is never shown. */
export const ReviewStep = ({ changes }: { changes: readonly Change[] }) => (
  <section aria-labelledby="review-title" className="max-w-3xl">
    <h2 id="review-title" className="mb-3 font-semibold text-base">
      {changes.length === 1 ? 'One field changes' : `${changes.length} fields change`}
    </h2>
    <ChangeList label="Changes" changes={changes.map(hidden)} />
  </section>
)

const hidden = (change: Change): Change =>
  change.path === 'config.auth' ? { ...change, new: withoutSecret(change.new) } : change

const withoutSecret = (auth: unknown): unknown =>
  JSON.parse(JSON.stringify(auth, (key, value) => (key === 'token' || key === 'value' ? '••••' : value)))

export const ReleaseStep = ({
  agentId,
  ...form
}: {
  agentId: string
  value: RolloutFields
  onChange(value: RolloutFields): void
  faults: readonly FieldFault[]
}) => {
  const { data: open = [] } = useQuery(openDeploymentsQuery(agentId))
  const canary = open.find(({ status }) => status === 'canary')
  return (
    <section aria-labelledby="release-title">
      <h2 id="release-title" className="mb-3 font-semibold text-base">
        To whom
      </h2>
      {canary && (
        <div className="mb-3 max-w-[40rem]">
          <Banner tone="info">
            Version {canary.version} is a canary with {canary.traffic_percent} % now. This release replaces it.
          </Banner>
        </div>
      )}
      <RolloutForm {...form} />
    </section>
  )
}
