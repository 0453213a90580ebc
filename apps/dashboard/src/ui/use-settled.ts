import { useEffect, useState } from 'react'

/** The text once nobody has changed it for this time. A person types, and each request counts in the rate limit. */
export const useSettled = (text: string, { ms }: { ms: number }): string => {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), ms)
    return () => clearTimeout(timer)
  }, [text, ms])
  return settled
}
