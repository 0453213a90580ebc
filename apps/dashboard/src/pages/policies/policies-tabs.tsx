import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Tabs } from '../../ui/tabs.tsx'

/** The head of the lists of policies and of templates. */
export const PoliciesHeader = ({ title }: { title: 'Policies' | 'Policy templates' }) => {
  const navigate = useNavigate()
  const reason = useReason('policies:write')
  return (
    <>
      <PageHeader title={title}>
        <Button reason={reason} onClick={() => void navigate({ to: '/policies/new' })}>
          <Plus aria-hidden size={14} /> New policy
        </Button>
      </PageHeader>
      <Tabs
        label="Policies and templates"
        tabs={[
          { label: 'Policies', to: '/policies' },
          { label: 'Templates', to: '/policies/templates' },
        ]}
      />
    </>
  )
}
