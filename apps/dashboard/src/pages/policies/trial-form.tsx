import { limits, type Policy } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { agentNamesQuery } from '../../api/agents.ts'
import { usePolicyChanges } from '../../api/policies.ts'
import { useMay } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { Problem } from '../../ui/problem.tsx'
import { fromLocalInput, toLocalInput } from '../../ui/range.ts'
import { useSubmission } from '../../ui/use-submission.ts'
import { usePolicyReason } from './policy-frame.tsx'
import { checkTrial, newTrial, type TrialFields, trialFieldNames, trialParams } from './trial-fields.ts'

/** Starts a trial of the newest rules on past runs. */
export const TrialForm = ({ policy, onStarted }: { policy: Policy; onStarted(trialId: string): void }) => {
  const reason = usePolicyReason(policy)
  const isUtc = usePreferences().zone === 'utc'
  const { tryOut } = usePolicyChanges()
  const { data: agents = [] } = useQuery({ ...agentNamesQuery, enabled: useMay('agents:read') })
  const [fields, setFields] = useState(() => newTrial(Date.now()))
  const change = (part: Partial<TrialFields>) => setFields((was) => ({ ...was, ...part }))
  const { errors, problem, isBusy, submit } = useSubmission({
    names: trialFieldNames,
    check: () => checkTrial(fields, Date.now()),
    send: async () => onStarted((await tryOut(policy.id, trialParams(fields))).id),
  })
  return (
    <section aria-label="New trial">
      <h2 className="mb-1 font-semibold">Try it on past runs</h2>
      <p className="mb-3 max-w-prose text-ink-2">
        A trial judges runs that have ended with the rules of version {policy.version}. It changes no run.
      </p>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <div className="grid grid-cols-1 gap-x-4 sm:grid-cols-[repeat(auto-fill,minmax(13rem,1fr))]">
          <TextField
            label={isUtc ? 'Since (UTC)' : 'Since'}
            type="datetime-local"
            isRequired
            value={toLocalInput(fields.since, isUtc)}
            error={errors.since}
            onChange={({ target }) => change({ since: fromLocalInput(target.value, isUtc) })}
          />
          <TextField
            label={isUtc ? 'Until (UTC)' : 'Until'}
            help="Empty: now"
            type="datetime-local"
            value={toLocalInput(fields.until, isUtc)}
            error={errors.until}
            onChange={({ target }) => change({ until: fromLocalInput(target.value, isUtc) })}
          />
          <SelectField
            label="Agent"
            value={fields.agentId}
            error={errors.agent_id}
            onChange={({ target }) => change({ agentId: target.value })}
          >
            <option value="">All agents</option>
            {agents.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
          <TextField
            label="Most runs"
            help="Of more runs, some are chosen evenly."
            type="number"
            min={1}
            max={limits.trialRunsMax}
            value={fields.sample}
            error={errors.sample}
            onChange={({ target }) => change({ sample: target.value })}
          />
          <TextField
            label="Most cost in US dollars"
            help="Empty: models and servers are not asked."
            type="number"
            min={0}
            step={0.01}
            value={fields.maxCostUsd}
            error={errors.max_cost_usd}
            onChange={({ target }) => change({ maxCostUsd: target.value })}
          />
        </div>
        {problem !== null && <Problem title="Start trial: failed" error={problem} />}
        <Button kind="primary" type="submit" isBusy={isBusy} reason={reason}>
          Start trial
        </Button>
      </form>
    </section>
  )
}
