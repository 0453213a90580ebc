import { useEffect, useState } from 'react'

/** The fragment of a link, read once and removed from the address, so that its token is not copied along. */
export const useFragment = (): URLSearchParams => {
  const [fragment, setFragment] = useState(readFragment)
  useEffect(() => {
    const take = () => {
      if (location.hash === '') return
      setFragment(readFragment())
      history.replaceState(history.state, '', location.pathname)
    }
    take()
    // Another link for the same page, pasted into the address of this tab, loads nothing.
    addEventListener('hashchange', take)
    return () => removeEventListener('hashchange', take)
  }, [])
  return fragment
}

export const useTokenOfAddress = (): string | null => useFragment().get('token')

const readFragment = (): URLSearchParams => new URLSearchParams(location.hash.slice(1))
