import { Link, type LinkProps } from '@tanstack/react-router'

export type TabLink = { label: string } & Pick<LinkProps, 'to' | 'params' | 'search'>

/** Tabs are links: the address says which one is open. */
export const Tabs = ({ label, tabs }: { label: string; tabs: readonly TabLink[] }) => (
  <nav aria-label={label} className="flex shrink-0 gap-1 overflow-x-auto border-line border-b px-3">
    {tabs.map(({ label: text, ...link }) => (
      <Link
        key={text}
        {...(link as LinkProps)}
        activeOptions={{ exact: true, includeSearch: false }}
        className="whitespace-nowrap border-transparent border-b-2 px-2 py-1.5 text-ink-2 hover:text-ink"
        activeProps={{ className: '!border-accent !text-ink font-medium', 'aria-current': 'page' }}
      >
        {text}
      </Link>
    ))}
  </nav>
)
