import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Tabs } from '../../ui/tabs.tsx'

/** The head of the lists of pipelines and of their runs. */
export const PipelinesHeader = ({ title }: { title: 'Pipelines' | 'Pipeline runs' }) => {
  const navigate = useNavigate()
  const reason = useReason('pipelines:write')
  return (
    <>
      <PageHeader title={title}>
        <Button reason={reason} onClick={() => void navigate({ to: '/pipelines/new', search: {} })}>
          <Plus aria-hidden size={14} /> New pipeline
        </Button>
      </PageHeader>
      <Tabs
        label="Pipelines and their runs"
        tabs={[
          { label: 'Pipelines', to: '/pipelines' },
          { label: 'Pipeline runs', to: '/pipeline-runs' },
        ]}
      />
    </>
  )
}
