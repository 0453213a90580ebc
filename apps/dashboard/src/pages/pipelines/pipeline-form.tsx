import type { PipelineDefinitionInput } from '@agent-run-service/sdk'
import { type FormEvent, type ReactNode, useMemo, useState } from 'react'
import { useAgentName } from '../../api/agents.ts'
import { fieldErrors } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { Problem } from '../../ui/problem.tsx'
import { DefinitionEditor } from './definition-editor.tsx'
import { type DefinitionFault, faultsOfError } from './definition-faults.ts'
import { draftSteps } from './draft-definition.ts'
import { StepCards, showCard } from './step-cards.tsx'
import { StepGraphView } from './step-graph-view.tsx'
import { useDefinitionCheck } from './use-definition-check.ts'

export type PipelineFields = { name: string; description: string; text: string }
export type SentPipeline = { name: string; description: string | null; definition: PipelineDefinitionInput }

const maxNameChars = 200
const maxDescriptionChars = 2_000

/** Name, description and definition of a pipeline. The definition is checked as one types; beside it stands its graph. */
export const PipelineForm = (props: {
  fields: PipelineFields
  initial: PipelineFields
  onChange(part: Partial<PipelineFields>): void
  verb: string
  reason: string | undefined
  onSend(sent: SentPipeline): Promise<void>
  /** What stands between the description and the definition. */
  before?: ReactNode
  children?: ReactNode
}) => {
  const { fields, onChange } = props
  const nameOf = useAgentName()
  const check = useDefinitionCheck(fields.text)
  const [isSent, setIsSent] = useState(false)
  const [isBusy, setIsBusy] = useState(false)
  const [errors, setErrors] = useState<Partial<Record<'name' | 'description', string>>>({})
  const [refused, setRefused] = useState<{ text: string; faults: readonly DefinitionFault[] } | null>(null)
  const [problem, setProblem] = useState<unknown>(null)
  const definition = useLastDefinition(fields.text)
  const steps = useMemo(() => draftSteps(definition), [definition])
  const faults = refused?.text === fields.text && refused.faults.length > 0 ? refused.faults : check.faults
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setProblem(null)
    setRefused(null)
    const name = fields.name.trim()
    setErrors(name === '' ? { name: 'Give the pipeline a name.' } : {})
    const parsed = parse(fields.text)
    if (isBusy || name === '' || parsed === undefined) return
    setIsBusy(true)
    setIsSent(true)
    try {
      await props.onSend({
        name,
        description: fields.description.trim() || null,
        definition: parsed as PipelineDefinitionInput,
      })
    } catch (error) {
      setIsSent(false)
      const named = faultsOfError(error, fields.text)
      const wrong = fieldErrors(error, ['name', 'description'])
      setRefused({ text: fields.text, faults: named })
      setErrors(wrong)
      if (named.length === 0 && Object.keys(wrong).length === 0) setProblem(error)
    } finally {
      setIsBusy(false)
    }
  }
  const isDirty = JSON.stringify(fields) !== JSON.stringify(props.initial)
  return (
    <form
      noValidate
      onSubmit={(event) => void submit(event)}
      className="grid grid-cols-[minmax(0,1fr)] gap-8 p-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]"
    >
      <LeaveGuard isDirty={isDirty && !isSent} />
      <div className="min-w-0">
        {problem !== null && <Problem title={`${props.verb}: failed`} error={problem} />}
        <TextField
          label="Name"
          isRequired
          maxLength={maxNameChars}
          value={fields.name}
          error={errors.name}
          onChange={({ target }) => onChange({ name: target.value })}
        />
        <TextArea
          label="Description"
          rows={2}
          maxLength={maxDescriptionChars}
          value={fields.description}
          error={errors.description}
          onChange={({ target }) => onChange({ description: target.value })}
        />
        {props.before}
        <DefinitionEditor text={fields.text} faults={faults} check={check} onChange={(text) => onChange({ text })} />
        <div className="flex gap-2">
          <Button kind="primary" type="submit" isBusy={isBusy} reason={props.reason}>
            {props.verb}
          </Button>
          {props.children}
        </div>
      </div>
      <section aria-label="Picture of the definition" className="flex min-w-0 flex-col gap-4">
        <div>
          <h2 className="mb-2 font-semibold">Graph</h2>
          <StepGraphView steps={steps} nameOf={nameOf} onSelect={showCard} />
        </div>
        <div>
          <h2 className="mb-2 font-semibold">Steps</h2>
          <StepCards steps={steps} nameOf={nameOf} />
        </div>
      </section>
    </form>
  )
}

/** The last text that was JSON, so that the graph does not vanish while a person types. */
const useLastDefinition = (text: string): unknown => {
  const [last, setLast] = useState<{ text: string; value: unknown }>(() => ({ text, value: parse(text) }))
  if (last.text === text) return last.value
  const value = parse(text) ?? last.value
  setLast({ text, value })
  return value
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
