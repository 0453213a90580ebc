import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { agentNamesQuery } from '../../api/agents.ts'
import { usePipelineChanges } from '../../api/pipelines.ts'
import { useMay, useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { toast } from '../../ui/toast.tsx'
import { AgentOptions } from '../agents/agent-options.tsx'
import { withAgent } from './draft-definition.ts'
import { type ExamplePipeline, examplePipelines } from './example-pipelines.ts'
import { type PipelineFields, PipelineForm } from './pipeline-form.tsx'

const blank: PipelineFields = {
  name: '',
  description: '',
  text: JSON.stringify({ steps: [{ key: 'first', agent_id: '', input: {} }] }, null, 2),
}

/** First the choice of an example, then the form. The choice is in the address. */
export const PipelineNewPage = () => {
  const { example: key } = useSearch({ from: '/app/pipelines/new' })
  const example = examplePipelines.find((each) => each.key === key)
  return (
    <>
      <PageHeader
        title="New pipeline"
        trail={
          <Link to="/pipelines" className="hover:underline">
            Pipelines
          </Link>
        }
      />
      {key === undefined || (key !== 'blank' && !example) ? <Examples /> : <NewForm key={key} example={example} />}
    </>
  )
}

const Examples = () => {
  const navigate = useNavigate()
  const choose = (example: string) => void navigate({ to: '/pipelines/new', search: { example } })
  return (
    <div className="p-4">
      <p className="mb-4 max-w-prose text-ink-2">
        A pipeline runs agents one after the other and at the same time, and asks people. Begin with an example, or with
        an empty definition.
      </p>
      <ul aria-label="Examples" className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,20rem),1fr))] gap-3">
        {examplePipelines.map(({ key, name, description, definition }) => (
          <Card
            key={key}
            name={name}
            text={description}
            steps={definition.steps.map((step) => String(step.key))}
            verb={`Use ${name}`}
            onChoose={() => choose(key)}
          />
        ))}
        <Card
          name="Blank"
          text="One step, to be filled in."
          steps={['first']}
          verb="Begin blank"
          onChoose={() => choose('blank')}
        />
      </ul>
    </div>
  )
}

const Card = (props: { name: string; text: string; steps: readonly string[]; verb: string; onChoose(): void }) => (
  <li className="flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-surface p-4">
    <h2 className="font-semibold">{props.name}</h2>
    <p className="text-ink-2">{props.text}</p>
    <p className="font-mono text-ink-2 text-xs">{props.steps.join(' → ')}</p>
    <div className="mt-auto pt-1">
      <Button onClick={props.onChoose}>{props.verb}</Button>
    </div>
  </li>
)

const fieldsOf = (example: ExamplePipeline | undefined): PipelineFields =>
  example
    ? {
        name: example.name,
        description: example.description,
        text: JSON.stringify(example.definition, null, 2),
      }
    : blank

const NewForm = ({ example }: { example: ExamplePipeline | undefined }) => {
  const navigate = useNavigate()
  const { create } = usePipelineChanges()
  const [initial] = useState(() => fieldsOf(example))
  const [fields, setFields] = useState(initial)
  const change = (part: Partial<PipelineFields>) => setFields((was) => ({ ...was, ...part }))
  return (
    <PipelineForm
      fields={fields}
      initial={initial}
      onChange={change}
      verb="Create pipeline"
      reason={useReason('pipelines:write')}
      before={
        example && (
          <AgentChoices example={example} onText={(edit) => setFields((was) => ({ ...was, text: edit(was.text) }))} />
        )
      }
      onSend={async ({ name, description, definition }) => {
        const pipeline = await create({
          name,
          ...(description !== null && { description }),
          definition,
          // The page of the pipeline offers the sample of the example as an input.
          ...(example && { metadata: { ars_example: example.key } }),
        })
        toast('The pipeline is created.')
        await navigate({ to: '/pipelines/$pipelineId', params: { pipelineId: pipeline.id } })
      }}
    >
      <Button onClick={() => void navigate({ to: '/pipelines/new', search: {} })}>Other example</Button>
    </PipelineForm>
  )
}

/** Which agents of the organisation take the places of the catalog agents of an example. */
const AgentChoices = (props: { example: ExamplePipeline; onText(edit: (text: string) => string): void }) => {
  const { example, onText } = props
  const { data: agents } = useQuery({ ...agentNamesQuery, enabled: useMay('agents:read') })
  const places = [
    ...new Set(example.definition.steps.flatMap(({ agent_id }) => (typeof agent_id === 'string' ? agent_id : []))),
  ]
  /** What stands in the text for each catalog agent. */
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({})
  const put = (place: string, id: string) => {
    const was = chosen[place] ?? place
    setChosen((all) => ({ ...all, [place]: id || place }))
    onText((text) => withAgent(text, was, id || place))
  }
  // Agents that were hired from the catalog are chosen once, when the list of agents is known.
  const [isReady, setIsReady] = useState(false)
  useEffect(() => {
    if (isReady || agents === undefined) return
    setIsReady(true)
    for (const place of places) {
      const hired = agents.find(({ catalog_key, status }) => catalog_key === place && status === 'active')
      if (hired) put(place, hired.id)
    }
  })
  return (
    <fieldset className="mb-3 rounded-lg border border-line p-3">
      <legend className="px-1 font-medium">Agents of the example</legend>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,16rem),1fr))] gap-x-4">
        {places.map((place) => (
          <SelectField
            key={place}
            label={`Agent for ${place}`}
            value={chosen[place] === place ? '' : (chosen[place] ?? '')}
            help={
              chosen[place] === undefined || chosen[place] === place ? (
                <>
                  Choose an agent, or{' '}
                  <Link to="/catalog/$key" params={{ key: place }} className="text-accent underline">
                    hire {place}
                  </Link>
                  .
                </>
              ) : undefined
            }
            onChange={({ target }) => put(place, target.value)}
          >
            <AgentOptions agents={agents ?? []} />
          </SelectField>
        ))}
      </div>
    </fieldset>
  )
}
