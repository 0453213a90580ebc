import { limits } from '@agent-run-service/sdk'
import { Plus, X } from 'lucide-react'
import { useFieldArray, useFormContext } from 'react-hook-form'
import { Button, IconButton } from '../../ui/button.tsx'
import { inputLook } from '../../ui/field.tsx'
import type { AgentFields } from './agent-fields.ts'
import { useFault } from './form-faults.tsx'

export const MetadataFields = () => {
  const { register, control } = useFormContext<AgentFields>()
  const { fields, append, remove } = useFieldArray({ control, name: 'metadata' })
  const fault = useFault('metadata')
  return (
    <>
      <p className="mb-2 text-ink-3 text-xs">Your own key-value pairs.</p>
      {fields.map(({ id }, n) => (
        <div key={id} className="mb-2 flex items-center gap-2">
          <input
            aria-label={`Key ${n + 1}`}
            maxLength={limits.metadataKeyChars}
            className={`${inputLook} h-8`}
            {...register(`metadata.${n}.key`)}
          />
          <input
            aria-label={`Value ${n + 1}`}
            maxLength={limits.metadataValueChars}
            className={`${inputLook} h-8`}
            {...register(`metadata.${n}.value`)}
          />
          <IconButton label={`Remove pair ${n + 1}`} onClick={() => remove(n)}>
            <X aria-hidden size={14} />
          </IconButton>
        </div>
      ))}
      {fault !== undefined && <p className="mb-2 text-bad text-xs">{fault}</p>}
      <Button
        isSmall
        name="metadata"
        reason={fields.length >= limits.metadataKeys ? `At most ${limits.metadataKeys} pairs.` : undefined}
        onClick={() => append({ key: '', value: '' })}
      >
        <Plus aria-hidden size={13} /> Add a pair
      </Button>
    </>
  )
}
