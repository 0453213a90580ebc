import { type ComponentProps, useId } from 'react'
import { Tooltip } from './tooltip.tsx'

const kinds = {
  primary: 'bg-accent text-accent-ink hover:brightness-110',
  plain: 'border border-line-strong bg-surface text-ink hover:bg-sunken',
  quiet: 'text-ink-2 hover:bg-sunken hover:text-ink',
  danger: 'border border-bad bg-surface text-bad hover:bg-bad-soft',
} as const

export type ButtonKind = keyof typeof kinds

export const buttonLook = (kind: ButtonKind = 'plain', isSmall = false): string =>
  `inline-flex ${isSmall ? 'h-7 px-2 text-xs' : 'h-8 px-3'} items-center justify-center gap-1.5 whitespace-nowrap rounded-md font-medium transition-colors aria-disabled:cursor-not-allowed aria-disabled:opacity-60 ${kinds[kind]}`

export type ButtonProps = Omit<ComponentProps<'button'>, 'disabled'> & {
  kind?: ButtonKind
  isSmall?: boolean
  /** The action is under way: the button says so and cannot be pressed again. */
  isBusy?: boolean
  /** Why the button cannot be used. It stays focusable, and the reason is shown and read out. */
  reason?: string | undefined
}

/** A control that may not be used is shown, disabled, with the reason. */
export const Button = ({ kind, isSmall, isBusy, reason, className = '', onClick, type, ...rest }: ButtonProps) => {
  const reasonId = useId()
  const isOff = reason !== undefined || isBusy === true
  const button = (
    <button
      {...rest}
      type={isOff ? 'button' : (type ?? 'button')}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      aria-describedby={reason === undefined ? rest['aria-describedby'] : reasonId}
      onClick={isOff ? (event) => event.preventDefault() : onClick}
      className={`${buttonLook(kind, isSmall)} ${className}`}
    />
  )
  if (reason === undefined) return button
  return (
    <>
      <Tooltip text={reason}>{button}</Tooltip>
      <span id={reasonId} className="sr-only">
        {reason}
      </span>
    </>
  )
}

/** A button with an icon only. `label` is its name and its tooltip. */
export const IconButton = ({ label, className = '', ...rest }: ButtonProps & { label: string }) => {
  const button = (
    <Button {...rest} kind={rest.kind ?? 'quiet'} aria-label={label} className={`!px-0 size-7 ${className}`} />
  )
  return rest.reason === undefined ? <Tooltip text={label}>{button}</Tooltip> : button
}
