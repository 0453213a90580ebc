import { useId } from 'react'
import { Checkbox } from '../../ui/field.tsx'
import { words } from '../../ui/words.ts'
import { allEvents, eventGroups, toggleEvent, toggleGroup } from './event-groups.ts'

/** The events that a webhook receives: all, whole groups or single types. */
export const EventChoice = (props: {
  chosen: readonly string[]
  error: string | undefined
  onChange(chosen: readonly string[]): void
}) => {
  const { chosen, error, onChange } = props
  const id = useId()
  const isAll = chosen.includes(allEvents)
  return (
    <fieldset
      aria-describedby={error === undefined ? undefined : `${id}-error`}
      className="mb-3 rounded-md border border-line px-3 pb-2"
    >
      <legend className="px-1 font-medium">
        Events
        <span aria-hidden className="ms-0.5 text-bad">
          *
        </span>
      </legend>
      <Checkbox
        label="All events (*), also types that are added later"
        checked={isAll}
        onChange={() => onChange(toggleEvent(chosen, allEvents))}
      />
      <div className="mt-1 grid gap-x-6 gap-y-2 sm:grid-cols-2">
        {eventGroups.map((group) => (
          <div key={group.title}>
            {group.types.length > 1 ? (
              <Checkbox
                label={<span className="font-medium text-ink-2">{group.title}</span>}
                checked={isAll || group.types.every((type) => chosen.includes(type))}
                onChange={() => onChange(toggleGroup(chosen, group))}
              />
            ) : (
              <p className="py-0.5 font-medium text-ink-2">{group.title}</p>
            )}
            <div className="ps-6">
              {group.types.map((type) => (
                <Checkbox
                  key={type}
                  label={<code className="font-mono text-xs">{type}</code>}
                  help={words.events[type]}
                  checked={isAll || chosen.includes(type)}
                  onChange={() => onChange(toggleEvent(chosen, type))}
                />
              ))}
            </div>
          </div>
        ))}
      </div>
      {error !== undefined && (
        <p id={`${id}-error`} className="mt-1 text-bad text-xs">
          {error}
        </p>
      )}
    </fieldset>
  )
}
