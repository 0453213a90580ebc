import type { OrganisationDetails, OrganisationLimits } from '@agent-run-service/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { client } from '../../api/client.ts'
import { organisationQuery } from '../../api/organisation.ts'
import { problemOf } from '../../api/problem.ts'
import { sessionQuery, useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { DetailList } from '../../ui/detail-list.tsx'
import { TextField } from '../../ui/field.tsx'
import { bytes, count, duration, hasQuota } from '../../ui/format.ts'
import { Id } from '../../ui/id.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { ProviderKeys } from './provider-keys.tsx'
import { SettingsHeader } from './settings-tabs.tsx'

/** Name, plan and limits of the organisation. */
export const OrganisationPage = () => {
  const { data, error, refetch } = useQuery(organisationQuery)
  return (
    <>
      <SettingsHeader title="Organisation" />
      {error && <Problem title="Organisation: not loaded" error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data && <Details organisation={data} />}
    </>
  )
}

const limitWords: Readonly<Record<keyof OrganisationLimits, readonly [string, (value: number) => string]>> = {
  requests_per_minute: ['Requests per minute', count],
  burst: ['Requests at once', count],
  calls_per_month: ['Runs per month', (limit) => (hasQuota({ limit }) ? count(limit) : 'No limit')],
  concurrent_runs: ['Runs at the same time', count],
  run_timeout_max_seconds: ['Longest run', (seconds) => duration(seconds * 1_000)],
  storage_bytes: ['Stored data', bytes],
  run_retention_days: ['Runs are kept', (days) => `${days} days`],
}

const Details = ({ organisation }: { organisation: OrganisationDetails }) => {
  const { limits } = organisation
  return (
    <div className="grid max-w-[40rem] gap-6 p-4">
      <NameForm name={organisation.name} />
      <ProviderKeys />
      <section aria-labelledby="about">
        <h2 id="about" className="mb-2 font-semibold">
          About
        </h2>
        <DetailList
          items={[
            ['Organisation', <Id key="id" id={organisation.id} />],
            ['Plan', wordOf(words.plans, organisation.plan)],
            ['Created', <Time key="created" at={organisation.created_at} />],
            [
              'Longest life of an API key',
              organisation.max_key_lifetime_days === null ? 'No limit' : `${organisation.max_key_lifetime_days} days`,
            ],
          ]}
        />
      </section>
      <section aria-labelledby="limits">
        <h2 id="limits" className="mb-2 font-semibold">
          Limits
        </h2>
        <DetailList
          items={(Object.keys(limitWords) as (keyof OrganisationLimits)[]).map((key) => {
            const [name, print] = limitWords[key]
            return [name, print(limits[key])] as const
          })}
        />
        <p className="mt-2 text-ink-3 text-xs">The operator of the service sets plan and limits.</p>
      </section>
    </div>
  )
}

const NameForm = ({ name }: { name: string }) => {
  const reason = useReason('members:write')
  const queryClient = useQueryClient()
  const [refusal, setRefusal] = useState<string>()
  const { register, handleSubmit, formState } = useForm({ defaultValues: { name } })
  const submit = handleSubmit(async (fields) => {
    setRefusal(undefined)
    try {
      queryClient.setQueryData(organisationQuery.queryKey, await client.organisation.update(fields))
      await queryClient.invalidateQueries(sessionQuery)
      toast('The organisation was renamed.')
    } catch (error) {
      setRefusal(problemOf(error).message)
    }
  })
  return (
    <form onSubmit={(event) => void submit(event)}>
      <TextField label="Name" error={refusal} isRequired readOnly={reason !== undefined} {...register('name')} />
      <Button type="submit" isBusy={formState.isSubmitting} reason={reason}>
        Rename
      </Button>
    </form>
  )
}
