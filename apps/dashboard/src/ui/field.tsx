import { type ComponentProps, type ReactNode, useId } from 'react'

export const inputLook =
  'w-full rounded-md border border-line-strong bg-surface px-2.5 text-ink aria-invalid:border-bad disabled:opacity-60'

type FieldProps = {
  label: ReactNode
  /** What the field is for, below it. */
  help?: ReactNode
  error?: string | undefined
  isRequired?: boolean
}

type FieldIds = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }

/** Label, control, help and error of one field. The control gets the ids that tie them together. */
const Field = ({ label, help, error, isRequired, children }: FieldProps & { children(ids: FieldIds): ReactNode }) => {
  const id = useId()
  const described = [help !== undefined && `${id}-help`, error !== undefined && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className="mb-3">
      <label htmlFor={id} className="mb-1 block font-medium">
        {label}
        {isRequired && (
          <span aria-hidden className="ms-0.5 text-bad">
            *
          </span>
        )}
      </label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {help !== undefined && (
        <p id={`${id}-help`} className="mt-1 text-ink-3 text-xs">
          {help}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="mt-1 text-bad text-xs">
          {error}
        </p>
      )}
    </div>
  )
}

export const TextField = ({
  label,
  help,
  error,
  isRequired = false,
  ...input
}: FieldProps & ComponentProps<'input'>) => (
  <Field label={label} help={help} error={error} isRequired={isRequired}>
    {(ids) => (
      <input {...input} {...ids} required={isRequired} className={`${inputLook} h-8 ${input.className ?? ''}`} />
    )}
  </Field>
)

export const TextArea = ({
  label,
  help,
  error,
  isRequired = false,
  ...area
}: FieldProps & ComponentProps<'textarea'>) => (
  <Field label={label} help={help} error={error} isRequired={isRequired}>
    {(ids) => (
      <textarea {...area} {...ids} required={isRequired} className={`${inputLook} py-1.5 ${area.className ?? ''}`} />
    )}
  </Field>
)

/** The browser's own select: it works with every keyboard, screen reader and phone. */
export const SelectField = ({
  label,
  help,
  error,
  isRequired = false,
  ...select
}: FieldProps & ComponentProps<'select'>) => (
  <Field label={label} help={help} error={error} isRequired={isRequired}>
    {(ids) => (
      <select {...select} {...ids} required={isRequired} className={`${inputLook} h-8 ${select.className ?? ''}`} />
    )}
  </Field>
)

export const Checkbox = ({
  label,
  help,
  ...input
}: { label: ReactNode; help?: ReactNode } & ComponentProps<'input'>) => {
  const id = useId()
  return (
    <div className="flex items-start gap-2 py-0.5">
      <input
        {...input}
        id={id}
        type="checkbox"
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {help !== undefined && (
          <p id={`${id}-help`} className="text-ink-3 text-xs">
            {help}
          </p>
        )}
      </div>
    </div>
  )
}
