import { createContext, use } from 'react'
import type { AgentContent, FieldFault } from './agent-fields.ts'

/** The mistakes of the form and the agent that is edited. */
type FormState = { faults: readonly FieldFault[]; stored: AgentContent | null }

export const AgentFormState = createContext<FormState>({ faults: [], stored: null })

/** The message at a field. */
export const useFault = (field: string): string | undefined =>
  use(AgentFormState).faults.find((fault) => fault.field === field)?.message

export const useStored = (): AgentContent | null => use(AgentFormState).stored

/** All mistakes on top of the form; each leads to its field. */
export const FaultSummary = ({ faults, title }: { faults: readonly FieldFault[]; title: string }) => {
  if (faults.length === 0) return null
  return (
    <div role="alert" className="mb-4 rounded-lg border border-bad/50 bg-bad-soft p-3">
      <p className="font-medium text-bad">{title}</p>
      <ul className="mt-1 list-disc ps-5">
        {faults.map(({ field, message }) => (
          <li key={`${field} ${message}`}>
            <button
              type="button"
              className="text-start underline"
              onClick={() =>
                (document.getElementsByName(field)[0] ?? document.getElementById(`field-${field}`))?.focus()
              }
            >
              {field.replaceAll('_', ' ')}: {message}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
