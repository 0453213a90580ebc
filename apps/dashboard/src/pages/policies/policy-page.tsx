import { limits, type Policy } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { policyAttachmentsQuery } from '../../api/policies.ts'
import { DetailList } from '../../ui/detail-list.tsx'
import { Id } from '../../ui/id.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Part } from '../../ui/part.tsx'
import { Time } from '../../ui/time.tsx'
import { Actor } from '../agents/actor.tsx'
import { Attachments } from './attachments.tsx'
import { PolicyFrame } from './policy-frame.tsx'
import { PolicyVersions } from './policy-versions.tsx'
import { RuleList } from './rule-list.tsx'
import { delayWords } from './rule-words.ts'

export const PolicyPage = () => {
  const { policyId } = useParams({ from: '/app/policies/$policyId' })
  return <PolicyFrame policyId={policyId}>{(policy) => <Overview policy={policy} />}</PolicyFrame>
}

const Overview = ({ policy }: { policy: Policy }) => (
  <div className="grid grid-cols-1 gap-x-6 gap-y-6 p-4 lg:grid-cols-[minmax(0,1fr)_26rem]">
    <div className="flex min-w-0 flex-col gap-6">
      {policy.description !== '' && (
        <p className="max-w-prose whitespace-pre-wrap break-words text-ink-2 [unicode-bidi:isolate]">
          {policy.description}
        </p>
      )}
      <Part title="Rules">
        <RuleList rules={policy.rules} />
        <p className="mt-2 text-ink-2">{delayWords(policy.stream_delay)}.</p>
      </Part>
      {policy.mode === 'shadow' && <ShadowResults policy={policy} />}
      <Part title="Versions">
        <PolicyVersions policyId={policy.id} />
      </Part>
    </div>
    <div className="flex min-w-0 flex-col gap-6">
      <Part title="Attached to">
        <Attachments policy={policy} />
      </Part>
      <Part title="Policy">
        <Facts policy={policy} />
      </Part>
    </div>
  </div>
)

const Facts = ({ policy }: { policy: Policy }) => (
  <>
    <DetailList
      items={[
        ['Id', <Id key="id" id={policy.id} />],
        ['Version', policy.version],
        [
          'Template',
          policy.template === null ? (
            'None'
          ) : (
            <code key="template" className="font-mono text-xs">
              {policy.template}
            </code>
          ),
        ],
        ['Created by', <Actor key="by" id={policy.created_by} />],
        ['Created', <Time key="created" at={policy.created_at} />],
        ['Updated', <Time key="updated" at={policy.updated_at} />],
      ]}
    />
    {policy.template_params !== null && Object.keys(policy.template_params).length > 0 && (
      <details className="mt-2">
        <summary className="cursor-pointer text-ink-2">Parameters of the template</summary>
        <div className="mt-1 overflow-auto rounded-md border border-line p-2.5">
          <JsonView value={policy.template_params} name="template-params" />
        </div>
      </details>
    )}
  </>
)

const dayMs = 86_400_000

/** The API keeps findings with their runs, so this leads to the runs of the time in which the policy watches. */
const ShadowResults = ({ policy }: { policy: Policy }) => {
  const { data: attachments = [] } = useQuery(policyAttachmentsQuery(policy.id))
  const [only] = attachments
  const agentId = attachments.length === 1 && only?.subject_type === 'agent' ? only.subject_id : undefined
  const since =
    policy.shadow_until === null
      ? policy.updated_at
      : new Date(Date.parse(policy.shadow_until) - limits.policyShadowDays * dayMs).toISOString()
  return (
    <Part title="Shadow results">
      <p className="max-w-prose text-ink-2">
        Each run shows what the policy has found in it, and what it would have done. To count its findings over many
        runs, try the policy on them.
      </p>
      <p className="mt-2 flex flex-wrap gap-4">
        <Link
          to="/runs"
          search={{ created_after: since, ...(agentId && { agent_id: agentId }) }}
          className="text-accent underline"
        >
          Runs since shadow mode began
        </Link>
        <Link to="/policies/$policyId/trials" params={{ policyId: policy.id }} className="text-accent underline">
          Try it on past runs
        </Link>
      </p>
    </Part>
  )
}
