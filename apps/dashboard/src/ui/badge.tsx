import type { LucideIcon } from 'lucide-react'

const tones = {
  plain: 'text-ink-2 bg-sunken',
  good: 'text-good bg-good-soft',
  bad: 'text-bad bg-bad-soft',
  warn: 'text-warn bg-warn-soft',
  run: 'text-run bg-run-soft',
  accent: 'text-accent bg-accent-soft',
} as const

export type Tone = keyof typeof tones

/** A word with an icon. The colour repeats the meaning; it never carries it alone. */
export const Badge = ({
  label,
  tone,
  Icon,
  isTurning,
}: {
  label: string
  tone: Tone
  Icon?: LucideIcon
  isTurning?: boolean
}) => (
  <span
    className={`inline-flex h-5 items-center gap-1 whitespace-nowrap rounded-full px-1.5 font-medium text-xs ${tones[tone]}`}
  >
    {Icon && <Icon aria-hidden size={12} strokeWidth={2.5} className={isTurning ? 'animate-spin' : ''} />}
    {label}
  </span>
)
