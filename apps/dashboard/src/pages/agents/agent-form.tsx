import { limits } from '@agent-run-service/sdk'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { Checkbox, SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { count } from '../../ui/format.ts'
import type { AgentFields } from './agent-fields.ts'
import { EndpointFields } from './endpoint-fields.tsx'
import { useFault } from './form-faults.tsx'
import { MetadataFields } from './metadata-fields.tsx'
import { ModelFields } from './model-fields.tsx'
import { SchemaField } from './schema-field.tsx'
import { ToolsFields } from './tools-fields.tsx'

type Section = { id: string; title: string; kind?: AgentFields['kind']; Fields(): ReactNode }

/** The form in sections that are links of the page. */
export const AgentForm = () => {
  const kind = useWatch<AgentFields, 'kind'>({ name: 'kind' })
  const shown = sections.filter((section) => section.kind === undefined || section.kind === kind)
  return (
    <div className="flex gap-8">
      <nav aria-label="Sections" className="sticky top-4 hidden w-36 shrink-0 self-start lg:block">
        <ul className="flex flex-col gap-1">
          {shown.map(({ id, title }) => (
            <li key={id}>
              <Link to="." search hash={id} replace className="block rounded-md px-2 py-1 text-ink-2 hover:bg-sunken">
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="min-w-0 max-w-[40rem] flex-1">
        {shown.map(({ id, title, Fields }) => (
          <section key={id} id={id} aria-labelledby={`${id}-title`} className="mb-6 scroll-mt-4">
            <h2 id={`${id}-title`} className="mb-3 border-line border-b pb-1 font-semibold text-base">
              {title}
            </h2>
            <Fields />
          </section>
        ))}
      </div>
    </div>
  )
}

const WhatFields = () => {
  const { register } = useFormContext<AgentFields>()
  return (
    <>
      <TextField
        label="Name"
        isRequired
        maxLength={limits.agentNameChars}
        error={useFault('name')}
        {...register('name')}
      />
      <TextArea
        label="Description"
        help="What it does, for people."
        rows={2}
        maxLength={limits.agentDescriptionChars}
        error={useFault('description')}
        {...register('description')}
      />
    </>
  )
}

const InstructionsFields = () => {
  const { register } = useFormContext<AgentFields>()
  const text = useWatch<AgentFields, 'instructions'>({ name: 'instructions' })
  return (
    <>
      <TextArea
        label="Instructions"
        help={`The system prompt. ${count(text.length)} of ${count(limits.instructionsChars)} characters.`}
        rows={14}
        spellCheck
        maxLength={limits.instructionsChars}
        className="font-mono text-xs"
        error={useFault('instructions')}
        {...register('instructions')}
      />
      <TextArea
        label="Input template"
        help="The first user message, such as: Translate: ${{ input.text }}. Empty: the query as text, or the input as JSON."
        rows={3}
        maxLength={limits.inputTemplateChars}
        className="font-mono text-xs"
        error={useFault('input_template')}
        {...register('input_template')}
      />
    </>
  )
}

const SchemaFields = () => (
  <>
    <SchemaField
      name="input_schema"
      label="Input schema"
      help="JSON Schema that the input of a run must match. Empty: every object."
    />
    <SchemaField
      name="output_schema"
      label="Output schema"
      help="JSON Schema that the output must match. Empty: the output is a text."
    />
  </>
)

const LimitFields = () => {
  const { register } = useFormContext<AgentFields>()
  return (
    <>
      <div className="grid gap-x-4 sm:grid-cols-2">
        <TextField
          label="Timeout in seconds"
          help="Empty: the limit of the plan."
          inputMode="numeric"
          error={useFault('timeout_seconds')}
          {...register('timeout_seconds')}
        />
        <TextField
          label="Steps of a run"
          help="Empty: the limit of the plan."
          inputMode="numeric"
          error={useFault('max_steps')}
          {...register('max_steps')}
        />
        <TextField
          label="Budget of a run in US dollars"
          help="Empty: no budget. It needs a model with a price."
          inputMode="decimal"
          error={useFault('budget_usd')}
          {...register('budget_usd')}
        />
        <TextField
          label="Runs at the same time"
          help="Empty: the limit of the plan."
          inputMode="numeric"
          error={useFault('max_concurrent_runs')}
          {...register('max_concurrent_runs')}
        />
      </div>
      <SelectField label="Who may approve" error={useFault('approval_by')} {...register('approval_by')}>
        <option value="anyone">Anyone with the permission</option>
        <option value="person">A person, not an API key</option>
      </SelectField>
      <Checkbox label="Not the one who started the run" {...register('approval_not_starter')} />
    </>
  )
}

const sections: readonly Section[] = [
  { id: 'what', title: 'What', Fields: WhatFields },
  { id: 'model', title: 'Model', kind: 'llm', Fields: ModelFields },
  { id: 'instructions', title: 'Instructions', kind: 'llm', Fields: InstructionsFields },
  { id: 'tools', title: 'Tools', kind: 'llm', Fields: ToolsFields },
  { id: 'endpoint', title: 'Endpoint', kind: 'remote', Fields: EndpointFields },
  { id: 'input-and-output', title: 'Input and output', Fields: SchemaFields },
  { id: 'limits', title: 'Limits', Fields: LimitFields },
  { id: 'metadata', title: 'Metadata', Fields: MetadataFields },
]
