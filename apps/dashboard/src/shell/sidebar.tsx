import type { Session } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Search, X } from 'lucide-react'
import { firingQuery } from '../api/firing.ts'
import { waitingCountQuery } from '../api/waiting.ts'
import { may } from '../session.ts'
import { IconButton } from '../ui/button.tsx'
import { wordOf, words } from '../ui/words.ts'
import { AccountMenu } from './account-menu.tsx'
import { type Place, places } from './places.ts'

/** Icons only below 1,024 px, a drawer below 768 px. */
export const Sidebar = (props: { session: Session; isDrawerOpen: boolean; onClose(): void; onSearch(): void }) => {
  const { session, isDrawerOpen } = props
  return (
    <nav
      aria-label="Main"
      className={`flex flex-col gap-0.5 overflow-y-auto border-line border-e bg-canvas p-2 max-md:fixed max-md:inset-y-0 max-md:start-0 max-md:z-40 max-md:w-64 max-md:shadow-2xl ${isDrawerOpen ? '' : 'max-md:hidden'}`}
    >
      <div className="mb-2 flex items-center gap-2 px-1.5 py-1.5">
        <img src="/dashboard/icon.svg" alt="" className="size-5 shrink-0" />
        <span className="truncate font-semibold md:max-lg:sr-only">{session.organisation.name}</span>
        {session.organisation.plan !== 'none' && (
          <span className="ms-auto rounded bg-sunken px-1 text-2xs text-ink-2 md:max-lg:hidden">
            {wordOf(words.plans, session.organisation.plan)}
          </span>
        )}
        <IconButton label="Close the menu" className="md:hidden" onClick={props.onClose}>
          <X aria-hidden size={16} />
        </IconButton>
      </div>
      <button
        type="button"
        onClick={props.onSearch}
        aria-keyshortcuts="Meta+K Control+K"
        className="mb-2 flex h-8 items-center gap-2 rounded-md border border-line bg-surface px-2 text-ink-2 hover:text-ink"
      >
        <Search aria-hidden size={14} className="shrink-0" />
        <span className="md:max-lg:sr-only">Search</span>
        <kbd className="ms-auto font-mono text-2xs md:max-lg:hidden">⌘K</kbd>
      </button>
      {places.map(({ title, places: group }) => (
        <div key={title} className="mb-2">
          <h2 className="px-2 py-1 text-2xs text-ink-3 md:max-lg:sr-only">{title}</h2>
          {group.map((place) => (
            <PlaceLink key={place.name} place={place} session={session} />
          ))}
        </div>
      ))}
      <div className="mt-auto border-line border-t pt-2">
        <AccountMenu session={session} />
      </div>
    </nav>
  )
}

const PlaceLink = ({ place, session }: { place: Place; session: Session }) => {
  const { name, to, Icon, scope } = place
  const isAllowed = scope === null || may(session, scope)
  return (
    <Link
      to={to}
      title={name}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      className={`flex h-8 items-center gap-2 rounded-md px-2 hover:bg-sunken hover:text-ink ${isAllowed ? 'text-ink-2' : 'text-ink-3'}`}
      activeProps={{ className: 'bg-accent-soft !text-accent font-medium', 'aria-current': 'page' }}
    >
      <Icon aria-hidden size={15} className="shrink-0" />
      <span className="md:max-lg:sr-only">{name}</span>
      {to === '/approvals' && isAllowed && <WaitingCount />}
      {to === '/alerts' && isAllowed && <FiringCount />}
    </Link>
  )
}

const WaitingCount = () => {
  const { data = 0 } = useQuery(waitingCountQuery)
  return <Count value={data} what="waiting" look="bg-warn-soft text-warn" />
}

const FiringCount = () => {
  const { data = [] } = useQuery(firingQuery)
  return <Count value={data.length} what="firing" look="bg-bad-soft text-bad" />
}

/** How many there are, counted up to 100. */
const Count = ({ value, what, look }: { value: number; what: string; look: string }) =>
  value === 0 ? null : (
    <span className={`num ms-auto rounded-full px-1.5 font-medium text-xs ${look}`}>
      {value >= 100 ? '100+' : value}
      <span className="sr-only"> {what}</span>
    </span>
  )
