import { useEffect, useState } from 'react'

/** Nothing for 150 ms, then grey lines in the shape of the page. */
export const Skeleton = ({ rows = 8 }: { rows?: number }) => {
  const [isShown, setIsShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), 150)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" aria-busy="true" aria-label="Loading" className="p-4">
      {isShown &&
        Array.from({ length: rows }, (_, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same and never move.
          <div key={n} className={`mb-3 h-4 rounded bg-sunken ${n % 3 === 2 ? 'w-2/3' : 'w-full'}`} />
        ))}
    </div>
  )
}
