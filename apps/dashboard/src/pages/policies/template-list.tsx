import { PoliciesHeader } from './policies-tabs.tsx'
import { Templates } from './template-cards.tsx'

export const TemplateListPage = () => (
  <>
    <PoliciesHeader title="Policy templates" />
    <Templates />
  </>
)
