import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'

/** The filters of a list. `onClear` is shown while a filter is set. */
export const FilterBar = ({ children, onClear }: { children: ReactNode; onClear?: (() => void) | undefined }) => (
  <search aria-label="Filters" className="flex shrink-0 flex-wrap items-center gap-2 border-line border-b px-4 py-2">
    {children}
    {onClear && (
      <Button kind="quiet" isSmall onClick={onClear}>
        Clear
      </Button>
    )}
  </search>
)

/** One choice of several that can be combined. */
export const FilterChip = ({ label, isOn, onToggle }: { label: ReactNode; isOn: boolean; onToggle(): void }) => (
  <button
    type="button"
    aria-pressed={isOn}
    onClick={onToggle}
    className="inline-flex h-7 items-center gap-1 rounded-full border border-line px-2.5 text-ink-2 text-xs hover:bg-sunken aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
  >
    {label}
  </button>
)

const maxAtRest = 100

/** One choice of several. Many choices are put into the document only while the control is used. */
export const FilterSelect = (props: {
  label: string
  value: string
  options: readonly (readonly [value: string, text: string])[]
  onChange(value: string): void
}) => {
  const { options, value } = props
  const [isUsed, setIsUsed] = useState(false)
  const shown = isUsed || options.length <= maxAtRest ? options : options.filter(([each]) => each === value)
  return (
    <select
      aria-label={props.label}
      value={value}
      // Before the press, so that the press does not wait for them.
      onPointerEnter={() => setIsUsed(true)}
      onPointerLeave={({ currentTarget }) => setIsUsed(currentTarget === document.activeElement)}
      onPointerDown={() => setIsUsed(true)}
      onFocus={() => setIsUsed(true)}
      onBlur={() => setIsUsed(false)}
      onChange={({ target }) => props.onChange(target.value)}
      className="h-7 max-w-56 rounded-md border border-line-strong bg-surface px-2 text-xs"
    >
      {shown.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  )
}
