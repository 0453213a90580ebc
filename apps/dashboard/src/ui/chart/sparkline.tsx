import { scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
import { fillOf } from './fill.ts'
import type { Tone } from './types.ts'

/** A line without axes, beside the number that it explains. */
export const Sparkline = ({
  label,
  values,
  tone = 'accent',
}: {
  /** What the line shows, in words. */
  label: string
  values: readonly (number | null)[]
  tone?: Tone
}) => {
  const [width, height] = [96, 20]
  const x = scaleLinear([0, Math.max(1, values.length - 1)], [2, width - 2])
  const y = scaleLinear([0, Math.max(...values.map((value) => value ?? 0), 1e-9)], [height - 2, 2])
  const path = line<number | null>()
    .defined((value) => value !== null)
    .x((_, n) => x(n))
    .y((value) => y(value ?? 0))
  const last = values.length - 1
  return (
    <svg role="img" aria-label={label} width={width} height={height}>
      <path d={path(values) ?? ''} fill="none" stroke={fillOf(tone)} strokeWidth={1.5} />
      {typeof values[last] === 'number' && <circle cx={x(last)} cy={y(values[last])} r={2} fill={fillOf(tone)} />}
    </svg>
  )
}
