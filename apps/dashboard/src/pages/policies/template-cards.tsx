import type { PolicyTemplate } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { policyTemplatesQuery } from '../../api/policies.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { AdoptDialog } from './adopt-dialog.tsx'

/** The templates. Before one is adopted, a dialog asks what it will be attached to. */
export const Templates = () => {
  const { data, error, refetch } = useQuery(policyTemplatesQuery)
  const [asked, setAsked] = useState<PolicyTemplate | null>(null)
  if (error) return <Problem title="Templates: not loaded" error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton />
  return (
    <>
      <ul
        aria-label="Templates"
        className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,22rem),1fr))] content-start gap-3 p-4"
      >
        {data.map((template) => (
          <TemplateCard key={template.key} template={template} onAsk={() => setAsked(template)} />
        ))}
      </ul>
      {asked && <AdoptDialog key={asked.key} template={asked} onClose={() => setAsked(null)} />}
    </>
  )
}

const TemplateCard = ({ template, onAsk }: { template: PolicyTemplate; onAsk(): void }) => {
  const reason = useReason('policies:write')
  return (
    <li
      data-template={template.key}
      className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-4"
      aria-label={template.name}
    >
      <h2 className="font-semibold">{template.name}</h2>
      <p className="text-ink-2">{template.description}</p>
      <ul className="list-disc ps-5 text-ink-2">
        {template.rules.map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
      <div className="mt-auto flex flex-wrap gap-2 pt-1">
        <Button kind="primary" aria-label={`Adopt ${template.name}`} reason={reason} onClick={onAsk}>
          Adopt
        </Button>
      </div>
    </li>
  )
}
