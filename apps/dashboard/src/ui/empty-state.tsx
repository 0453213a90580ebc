import type { ReactNode } from 'react'

/** One sentence what this is for, one action, and optionally a block to copy. */
export const EmptyState = ({
  title,
  children,
  action,
}: {
  title: string
  children?: ReactNode
  action?: ReactNode
}) => (
  <div className="mx-auto flex max-w-2xl flex-col items-center gap-3 px-4 py-12 text-center">
    <h2 className="font-semibold text-lg">{title}</h2>
    {children !== undefined && <div className="w-full text-ink-2">{children}</div>}
    {action}
  </div>
)
