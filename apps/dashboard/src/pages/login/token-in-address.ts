import { useEffect, useState } from 'react'

/** The token of a link, read once from the fragment and removed from the address, so that it is not copied along. */
export const useTokenOfAddress = (): string | null => {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token'))
  useEffect(() => {
    if (location.hash !== '') history.replaceState(history.state, '', location.pathname)
  }, [])
  return token
}
