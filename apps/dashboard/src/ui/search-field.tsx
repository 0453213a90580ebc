import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'

const waitMs = 250

/** A text filter. It takes effect when the person pauses. */
export const SearchField = ({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange(value: string): void
}) => {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed === value) return
    // A person who has followed a link meanwhile stays where they went.
    const { pathname } = location
    const timer = setTimeout(() => location.pathname === pathname && onChange(typed.trim()), waitMs)
    return () => clearTimeout(timer)
  }, [typed, value, onChange])
  return (
    <div className="relative">
      <Search aria-hidden size={13} className="-translate-y-1/2 absolute start-2 top-1/2 text-ink-3" />
      <input
        type="search"
        aria-label={label}
        placeholder="Search"
        value={typed}
        maxLength={200}
        onChange={({ target }) => setTyped(target.value)}
        className="h-7 w-56 rounded-md border border-line-strong bg-surface ps-7 pe-2 text-xs"
      />
    </div>
  )
}
