import type { ReactNode } from 'react'
import { PageHeader } from '../../ui/page-header.tsx'
import { Tabs } from '../../ui/tabs.tsx'

/** The head of every page of the settings. */
export const SettingsHeader = ({ title, children }: { title: string; children?: ReactNode }) => (
  <>
    <PageHeader title={title} trail="Settings">
      {children}
    </PageHeader>
    <Tabs
      label="Settings"
      tabs={[
        { label: 'Organisation', to: '/settings/organisation' },
        { label: 'Members', to: '/settings/members' },
        { label: 'API keys', to: '/settings/api-keys' },
        { label: 'Audit log', to: '/settings/audit-log' },
        { label: 'Profile', to: '/settings/profile' },
        { label: 'Sessions', to: '/settings/sessions' },
      ]}
    />
  </>
)
