import { Meter } from './chart/meter.tsx'
import type { Tone } from './chart/types.ts'
import { percent } from './format.ts'

/** How much of a limit is used. Its colour changes at 80 % and at the limit. */
export const QuotaMeter = ({ label, used, limit }: { label: string; used: number; limit: number }) => (
  <Meter
    label={label}
    text={`${percent(share(used, limit))} used`}
    value={used}
    max={limit}
    tone={toneOf(used, limit)}
  />
)

const share = (used: number, limit: number): number => (limit === 0 ? 1 : used / limit)

const toneOf = (used: number, limit: number): Tone => {
  if (used >= limit) return 'bad'
  return share(used, limit) >= 0.8 ? 'warn' : 'good'
}
