import type { ReactNode } from 'react'

/** One number with its name; below it what explains it. */
export const FigureCard = ({ name, value, children }: { name: string; value: ReactNode; children?: ReactNode }) => (
  <div className="min-w-0 rounded-lg border border-line p-3">
    <dt className="text-ink-2 text-xs">{name}</dt>
    <dd className="num mt-0.5 break-words font-semibold text-lg">{value}</dd>
    {children !== undefined && <dd className="num mt-1.5 text-ink-2 text-xs">{children}</dd>}
  </div>
)

export const FigureGrid = ({ label, children }: { label: string; children: ReactNode }) => (
  <section aria-label={label}>
    <h2 className="mb-2 font-semibold">{label}</h2>
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,11rem),1fr))] gap-3">{children}</dl>
  </section>
)
