import { limits } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { agentNamesQuery } from '../../api/agents.ts'
import { Checkbox, inputLook } from '../../ui/field.tsx'

const maxShown = 100

/** All agents, or the chosen ones. Null: all. */
export const AgentChoice = (props: {
  chosen: readonly string[] | null
  error: string | undefined
  onChange(chosen: readonly string[] | null): void
}) => {
  const { chosen, onChange } = props
  const { data: agents = [] } = useQuery(agentNamesQuery)
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const found = agents.filter(({ id, name }) => name.toLowerCase().includes(wanted) || id === wanted)
  const toggle = (id: string) => {
    const now = chosen ?? []
    onChange(now.includes(id) ? now.filter((each) => each !== id) : [...now, id].slice(0, limits.agentsPerKey))
  }
  return (
    <fieldset className="mb-3 rounded-md border border-line px-3 pb-2">
      <legend className="px-1 font-medium">Agents</legend>
      <Checkbox
        label="All agents, also later ones"
        checked={chosen === null}
        onChange={() => onChange(chosen === null ? [] : null)}
      />
      {chosen !== null && (
        <>
          <input
            aria-label="Find agents"
            placeholder="Find by name"
            value={text}
            onChange={({ target }) => setText(target.value)}
            className={`${inputLook} my-1.5 h-7`}
          />
          <div className="max-h-40 overflow-y-auto">
            {found.slice(0, maxShown).map(({ id, name }) => (
              <Checkbox key={id} label={name} checked={chosen.includes(id)} onChange={() => toggle(id)} />
            ))}
          </div>
          <p className="mt-1 text-ink-3 text-xs">
            {chosen.length} of at most {limits.agentsPerKey} chosen.
            {found.length > maxShown && ` The first ${maxShown} of ${found.length} are shown.`}
          </p>
        </>
      )}
      {props.error !== undefined && <p className="mt-1 text-bad text-xs">{props.error}</p>}
    </fieldset>
  )
}
