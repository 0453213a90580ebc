import { type ReactNode, useEffect } from 'react'
import { useOrganisationName } from './organisation-name.ts'

/** Title of the page and of the browser's tab, with the actions of the page. `trail` leads to the page above. */
export const PageHeader = ({
  title,
  tabTitle,
  trail,
  aside,
  children,
}: {
  title: ReactNode
  tabTitle?: string
  trail?: ReactNode
  /** What stands beside the title, such as an id or a status. */
  aside?: ReactNode
  children?: ReactNode
}) => {
  const organisation = useOrganisationName()
  const text = tabTitle ?? (typeof title === 'string' ? title : '')
  useEffect(() => {
    document.title = [text, organisation, 'Agent Run Service'].filter(Boolean).join(' · ')
  }, [text, organisation])
  return (
    <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-4 py-2">
      {trail !== undefined && <span className="text-ink-3">{trail} ›</span>}
      <h1 className="min-w-0 break-words font-semibold text-lg">{title}</h1>
      {aside}
      <div className="ms-auto flex flex-wrap items-center justify-end gap-2">{children}</div>
    </header>
  )
}
