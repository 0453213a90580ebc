import type { ReactNode } from 'react'

/** A titled part of a page. */
export const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title} className="min-w-0">
    <h2 className="mb-2 font-semibold">{title}</h2>
    {children}
  </section>
)
