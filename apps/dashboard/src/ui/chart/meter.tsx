import { fills, type Tone } from './types.ts'

/** One value on a bar, with the range in which the true value lies and a threshold, if they are known. */
export const Meter = (props: {
  /** The name of the figure. */
  label: string
  /** The value in words, such as `12 of 50 runs`. */
  text: string
  value: number
  max: number
  tone?: Tone
  range?: { from: number; to: number | null } | undefined
  threshold?: number | undefined
}) => {
  const { value, tone = 'accent', range, threshold } = props
  const max = Math.max(props.max, value, threshold ?? 0, 1e-12)
  const share = (part: number): string => `${Math.max(0, Math.min(100, (part / max) * 100))}%`
  return (
    // biome-ignore lint/a11y/useSemanticElements: <meter> shows neither a range nor a threshold line.
    <div
      role="meter"
      aria-label={props.label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
      aria-valuetext={props.text}
      className="relative h-2 w-full rounded-full bg-sunken ring-1 ring-line-strong"
    >
      {range ? (
        <>
          <span
            className={`absolute inset-y-0 rounded-full opacity-40 ${fills[tone]}`}
            style={{
              insetInlineStart: share(range.from),
              width: `calc(${share(range.to ?? max)} - ${share(range.from)})`,
            }}
          />
          <span
            className={`-inset-y-0.5 absolute w-1 rounded ${fills[tone]}`}
            style={{ insetInlineStart: share(value) }}
          />
        </>
      ) : (
        <span className={`absolute inset-y-0 start-0 rounded-full ${fills[tone]}`} style={{ width: share(value) }} />
      )}
      {threshold !== undefined && (
        <span className="-inset-y-1 absolute w-0.5 bg-bad" style={{ insetInlineStart: share(threshold) }} />
      )}
    </div>
  )
}
