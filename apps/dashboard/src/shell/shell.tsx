import type { Session } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useMatches, useRouterState } from '@tanstack/react-router'
import { Menu as MenuIcon } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { expectOrganisation } from '../api/client.ts'
import { useLiveEvents } from '../api/live.ts'
import { may, sessionQuery } from '../session.ts'
import { IconButton } from '../ui/button.tsx'
import { OrganisationName } from '../ui/organisation-name.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { ConnectionBars } from './connection-bars.tsx'
import { ForbiddenState } from './forbidden-state.tsx'
import { useOtherTabs } from './other-tabs.tsx'
import { useShortcuts } from './shortcuts.tsx'
import { Sidebar } from './sidebar.tsx'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))

/** Sidebar, bars and the page. */
export const Shell = () => {
  const { data: session } = useQuery(sessionQuery)
  return session ? <Frame session={session} /> : <Skeleton />
}

const Frame = ({ session }: { session: Session }) => {
  // While it is drawn, not afterwards: the pages inside send their first calls before an effect of this one runs.
  expectOrganisation(session.organisation.id)
  const [isDrawerOpen, setIsDrawerOpen] = useState(false)
  const [isPaletteOpen, setIsPaletteOpen] = useState(false)
  const shortcuts = useShortcuts({ onPalette: () => setIsPaletteOpen((was) => !was) })
  const cover = useOtherTabs()
  useLiveEvents()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const scope = useMatches({ select: (matches) => matches.at(-1)?.staticData.scope ?? null })
  useFocusAfterNavigation(path)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes whenever the page changes.
  useEffect(() => setIsDrawerOpen(false), [path])
  return (
    <OrganisationName value={session.organisation.name}>
      <div
        className="grid h-dvh grid-cols-1 md:grid-cols-[3.25rem_minmax(0,1fr)] lg:grid-cols-[13.5rem_minmax(0,1fr)]"
        inert={cover !== null}
      >
        <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-surface focus:p-2">
          Skip to content
        </a>
        <Sidebar
          session={session}
          isDrawerOpen={isDrawerOpen}
          onClose={() => setIsDrawerOpen(false)}
          onSearch={() => setIsPaletteOpen(true)}
        />
        <div className="flex min-h-0 min-w-0 flex-col">
          <div className="flex h-10 items-center border-line border-b px-2 md:hidden">
            <IconButton label="Open the menu" onClick={() => setIsDrawerOpen(true)}>
              <MenuIcon aria-hidden size={16} />
            </IconButton>
            <span className="ms-2 truncate font-medium">{session.organisation.name}</span>
          </div>
          <ConnectionBars />
          <main
            id="main"
            tabIndex={-1}
            className="flex min-h-0 min-w-0 flex-1 flex-col overflow-auto bg-surface outline-none"
          >
            {scope !== null && !may(session, scope) ? (
              <ForbiddenState scope={scope} />
            ) : (
              <Suspense fallback={<Skeleton />}>
                <Outlet />
              </Suspense>
            )}
          </main>
        </div>
      </div>
      {isPaletteOpen && (
        <Suspense fallback={null}>
          <Palette onClose={() => setIsPaletteOpen(false)} />
        </Suspense>
      )}
      {shortcuts}
      {cover}
    </OrganisationName>
  )
}

/** After navigation the focus goes to the page, so that a screen reader begins there. */
const useFocusAfterNavigation = (path: string): void => {
  const last = useRef(path)
  useEffect(() => {
    if (last.current === path) return
    last.current = path
    document.getElementById('main')?.focus({ preventScroll: true })
  }, [path])
}
