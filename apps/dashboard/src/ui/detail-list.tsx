import type { ReactNode } from 'react'

/** Names and values of one thing. */
export const DetailList = ({ items }: { items: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="grid grid-cols-[minmax(7rem,max-content)_1fr] gap-x-4 gap-y-1.5">
    {items.map(([name, value]) => (
      <div key={name} className="contents">
        <dt className="text-ink-3">{name}</dt>
        <dd className="min-w-0 break-words">{value}</dd>
      </div>
    ))}
  </dl>
)

/** The same in one line, for the head of a page. */
export const FactsLine = ({ items }: { items: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="flex shrink-0 flex-wrap gap-x-5 gap-y-1 border-line border-b px-4 py-2">
    {items.map(([name, value]) => (
      <div key={name} className="flex items-baseline gap-1.5">
        <dt className="text-ink-3 text-xs">{name}</dt>
        <dd className="num">{value}</dd>
      </div>
    ))}
  </dl>
)
