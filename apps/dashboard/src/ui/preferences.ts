import { useSyncExternalStore } from 'react'

/** Choices of this browser. Nothing of a customer's data and no key is ever stored here. */
export type Preferences = {
  theme: 'system' | 'light' | 'dark'
  density: 'normal' | 'compact'
  zone: 'browser' | 'utc'
  /** Single letters work as shortcuts. */
  shortcuts: 'on' | 'off'
  /** Width of the panel of the run page, in rem. */
  panelRem: string
  /** Hidden columns, `table.column` separated by spaces. */
  hidden: string
}

const defaults: Preferences = {
  theme: 'system',
  density: 'normal',
  zone: 'browser',
  shortcuts: 'on',
  panelRem: '26',
  hidden: '',
}
const listeners = new Set<() => void>()
let cached: Preferences | undefined

const read = (): Preferences => {
  if (cached) return cached
  const stored = Object.keys(defaults).map((key) => [key, storedValue(key)] as const)
  cached = { ...defaults, ...Object.fromEntries(stored.filter(([, value]) => value !== null)) }
  return cached
}

/** A browser may forbid storage; then the defaults stay. */
const storedValue = (key: string): string | null => {
  try {
    return localStorage.getItem(`ars.${key}`)
  } catch {
    return null
  }
}

export const setPreference = <Key extends keyof Preferences>(key: Key, value: Preferences[Key]): void => {
  cached = { ...read(), [key]: value }
  try {
    localStorage.setItem(`ars.${key}`, value)
  } catch {
    // The choice holds until the page is closed.
  }
  if (key === 'theme') {
    if (value === 'system') document.documentElement.removeAttribute('data-theme')
    else document.documentElement.dataset.theme = value
  }
  for (const listener of listeners) listener()
}

export const usePreferences = (): Preferences =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, read)
