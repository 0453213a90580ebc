import type { Scope } from '@agent-run-service/sdk'
import { useId } from 'react'
import { Button } from '../../ui/button.tsx'
import { words } from '../../ui/words.ts'
import { scopePresets, scopeRows } from './scope-rows.ts'

/** Scopes as a grid of resource and verb. Scopes that the person cannot give are shown and cannot be ticked. */
export const ScopeGrid = (props: {
  chosen: ReadonlySet<Scope>
  grantable: readonly Scope[]
  error: string | undefined
  /** What the key cannot do although its scopes suggest it. */
  notes: readonly string[]
  onChange(chosen: ReadonlySet<Scope>): void
}) => {
  const { chosen, grantable, error, notes, onChange } = props
  const id = useId()
  const toggle = (scope: Scope) => {
    const next = new Set(chosen)
    if (!next.delete(scope)) next.add(scope)
    onChange(next)
  }
  const box = (scope: Scope | undefined, label?: string) => {
    if (scope === undefined) return null
    const isOff = !grantable.includes(scope) && !chosen.has(scope)
    return (
      <label key={scope} className="inline-flex min-h-6 items-center gap-1.5 pe-3" title={words.scopes[scope]}>
        <input
          type="checkbox"
          checked={chosen.has(scope)}
          aria-label={`${scope}: ${words.scopes[scope]}`}
          aria-disabled={isOff || undefined}
          aria-describedby={isOff ? `${id}-off` : undefined}
          onChange={() => {
            if (!isOff) toggle(scope)
          }}
          className="size-4 accent-accent aria-disabled:opacity-40"
        />
        {label}
      </label>
    )
  }
  return (
    <fieldset
      aria-describedby={error === undefined ? undefined : `${id}-error`}
      className="mb-3 rounded-md border border-line px-3 pb-2"
    >
      <legend className="px-1 font-medium">
        Scopes
        <span aria-hidden className="ms-0.5 text-bad">
          *
        </span>
      </legend>
      <div className="mb-1.5 flex flex-wrap gap-2">
        {scopePresets.map(({ title, pick }) => (
          <Button key={title} isSmall onClick={() => onChange(new Set(pick(grantable)))}>
            {title}
          </Button>
        ))}
        <Button isSmall kind="quiet" onClick={() => onChange(new Set())}>
          None
        </Button>
      </div>
      <table className="w-full">
        <thead>
          <tr className="text-ink-3 text-xs">
            {['Resource', 'Read', 'Write', 'More'].map((title) => (
              <th key={title} scope="col" className="text-start font-medium">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {scopeRows.map(({ resource, read, write, others }) => (
            <tr key={resource} className="hover:bg-sunken">
              <th scope="row" className="pe-2 text-start font-normal">
                {resource}
              </th>
              <td>{box(read)}</td>
              <td>{box(write)}</td>
              <td>{others.map((scope) => box(scope, scope.split(':')[1]))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p id={`${id}-off`} className="mt-1 text-ink-3 text-xs">
        You can give only scopes that you hold yourself. A demo key can hold few.
      </p>
      <div role="status" className="text-ink-2 text-xs">
        {notes.map((note) => (
          <p key={note} className="mt-1">
            {note}
          </p>
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
