import { CircleX, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

const looks = {
  info: { Icon: Info, look: 'border-run/40 bg-run-soft text-run' },
  warn: { Icon: TriangleAlert, look: 'border-warn/40 bg-warn-soft text-warn' },
  bad: { Icon: CircleX, look: 'border-bad/40 bg-bad-soft text-bad' },
} as const

/** A bar across the page with what a person should know, and what they can do. */
export const Banner = ({
  tone,
  children,
  action,
}: {
  tone: keyof typeof looks
  children: ReactNode
  action?: ReactNode
}) => {
  const { Icon, look } = looks[tone]
  return (
    <div role="status" className={`flex shrink-0 flex-wrap items-center gap-2 border-y px-4 py-1.5 ${look}`}>
      <Icon aria-hidden size={15} className="shrink-0" />
      <div className="min-w-0 flex-1 text-ink">{children}</div>
      {action}
    </div>
  )
}
