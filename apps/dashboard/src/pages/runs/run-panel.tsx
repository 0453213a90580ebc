import type { Run, RunStep } from '@agent-run-service/sdk'
import { X } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { setPreference, usePreferences } from '../../ui/preferences.ts'
import { StepDetails } from './step-details.tsx'

const minRem = 18
const maxRem = 60
const bounded = (rem: number): number => Math.max(minRem, Math.min(maxRem, Math.round(rem)))

/** The page in two parts: what happened, and the details beside it. Below 1,024 px the details stand below. */
export const RunPanel = (props: {
  run: Run
  steps: readonly RunStep[]
  selected: number | undefined
  onSelect(step: number | undefined): void
  children: ReactNode
}) => {
  const { run, selected } = props
  const { panelRem } = usePreferences()
  const rem = bounded(Number(panelRem) || 26)
  const step = props.steps.find(({ number }) => number === selected)
  return (
    <div
      className="grid flex-1 grid-cols-1 content-start lg:min-h-0 lg:grid-cols-[minmax(0,1fr)_0.5rem_var(--panel)] lg:content-stretch"
      style={{ '--panel': `${rem}rem` } as React.CSSProperties}
    >
      <div className="min-w-0 lg:min-h-0 lg:overflow-auto">{props.children}</div>
      <Divider rem={rem} />
      <aside
        aria-label="Details"
        className="min-w-0 border-line border-t bg-canvas p-4 lg:min-h-0 lg:overflow-auto lg:border-t-0"
      >
        {step ? (
          <>
            <IconButton label="Close the step" className="float-end" onClick={() => props.onSelect(undefined)}>
              <X aria-hidden size={14} />
            </IconButton>
            <StepDetails step={step} />
          </>
        ) : (
          <>
            <Block title="Input" value={run.input} />
            {run.output && <Block title="Output" value={run.output} />}
            {Object.keys(run.metadata).length > 0 && <Block title="Metadata" value={run.metadata} />}
          </>
        )}
      </aside>
    </div>
  )
}

const Block = ({ title, value }: { title: string; value: unknown }) => (
  <section className="mb-4">
    <h2 className="mb-1 font-medium text-ink-3 text-xs">{title}</h2>
    <div className="overflow-auto rounded-md border border-line bg-surface p-2.5">
      <JsonView value={value} name={title.toLowerCase()} />
    </div>
  </section>
)

const keySteps: Readonly<Record<string, number>> = { ArrowLeft: 1, ArrowRight: -1, PageUp: 5, PageDown: -5 }

/** Changes the width of the details, by pointer or by arrow keys. */
const Divider = ({ rem }: { rem: number }) => {
  const from = useRef<{ x: number; rem: number }>(null)
  const set = (next: number) => setPreference('panelRem', String(bounded(next)))
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line cannot be moved, a separator with a value can.
    <div
      role="separator"
      aria-label="Width of the details"
      aria-orientation="vertical"
      aria-valuenow={rem}
      aria-valuemin={minRem}
      aria-valuemax={maxRem}
      tabIndex={0}
      className="hidden cursor-col-resize touch-none border-line border-e hover:bg-accent-soft focus-visible:bg-accent-soft lg:block"
      onPointerDown={(event: PointerEvent<HTMLElement>) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        from.current = { x: event.clientX, rem }
      }}
      onPointerMove={({ clientX }) => {
        if (from.current) set(from.current.rem + (from.current.x - clientX) / 16)
      }}
      onPointerUp={() => {
        from.current = null
      }}
      onKeyDown={(event: KeyboardEvent) => {
        const step = keySteps[event.key]
        if (step === undefined) return
        event.preventDefault()
        set(rem + step)
      }}
    />
  )
}
