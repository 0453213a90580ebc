import type { Session } from '@agent-run-service/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { account } from '../api/client.ts'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { setPreference, usePreferences } from '../ui/preferences.ts'
import { toastProblem } from '../ui/toast.tsx'
import { tellOtherTabs } from './other-tabs.tsx'

/** The person, their organisations, the theme and the way out. */
export const AccountMenu = ({ session }: { session: Session }) => {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const { theme } = usePreferences()
  const logout = async () => {
    try {
      await account.logout()
    } catch (error) {
      toastProblem('You are still logged in', error)
      return
    }
    tellOtherTabs({ kind: 'logout' })
    await navigate({ to: '/login', search: {} })
    queryClient.clear()
  }
  const change = async (organisationId: string) => {
    try {
      const next = await account.switchOrganisation({ organisation_id: organisationId })
      queryClient.clear()
      queryClient.setQueryData(['session'], next)
      tellOtherTabs({ kind: 'organisation', id: next.organisation.id, name: next.organisation.name })
      await navigate({ to: '/' })
    } catch (error) {
      toastProblem('The organisation was not changed', error)
    }
  }
  const others: MenuItem[] = session.organisations
    .filter(({ id }) => id !== session.organisation.id)
    .map(({ id, name }) => ({ label: `Switch to ${name}`, onSelect: () => void change(id) }))
  const items: MenuItem[] = [
    { label: 'Profile', onSelect: () => void navigate({ to: '/settings/profile' }) },
    { label: 'Sessions', onSelect: () => void navigate({ to: '/settings/sessions' }) },
    ...others,
    theme === 'dark'
      ? { label: 'Light theme', onSelect: () => setPreference('theme', 'light') }
      : { label: 'Dark theme', onSelect: () => setPreference('theme', 'dark') },
    { label: 'Log out', onSelect: () => void logout() },
  ]
  return (
    <Menu label={`Account of ${session.user.name}`} items={items}>
      {/* The letter is drawn by CSS: the text of the button must be part of its name. */}
      <span
        aria-hidden
        data-letter={session.user.name.slice(0, 1).toUpperCase()}
        className="grid size-5 shrink-0 place-items-center rounded-full bg-accent-soft text-2xs text-accent before:content-[attr(data-letter)]"
      />
      <span className="truncate md:max-lg:hidden">{session.user.name}</span>
    </Menu>
  )
}
