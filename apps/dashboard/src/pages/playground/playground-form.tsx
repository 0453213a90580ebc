import type { Agent, CatalogAgent, Run } from '@agent-run-service/sdk'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { apiAddress, client } from '../../api/client.ts'
import { refusalsOf } from '../../api/problem.ts'
import { useReason } from '../../session.ts'
import { runSamples } from '../../snippets.ts'
import { Button } from '../../ui/button.tsx'
import { CodeTabs } from '../../ui/code-tabs.tsx'
import { Checkbox, TextArea, TextField } from '../../ui/field.tsx'
import { JsonField } from '../../ui/json-field.tsx'
import { Problem } from '../../ui/problem.tsx'
import type { Schema } from '../../ui/schema-form/schema-fields.ts'
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx'
import { type Problems, problemsOf, problemsOfRefusals } from '../../ui/schema-form/schema-problems.ts'
import { type Draft, draftOfRun, firstDraft, marked, type Request, requestOf } from './playground-input.ts'
import { PromptPreview } from './prompt-preview.tsx'

/** The request of the playground. The run starts with one idempotency key for each press. */
export const PlaygroundForm = (props: {
  agent: Agent
  sample: CatalogAgent | null
  /** The run whose input is edited and run again. */
  source: Run | null
  startsAtOnce: boolean
  onRun(run: Run): void
}) => {
  const { agent, sample, source } = props
  const schema = agent.input_schema as Schema | null
  const reason = useReason('runs:write')
  const [draft, setDraft] = useState<Draft>(() => (source ? draftOfRun(source) : firstDraft(agent, sample)))
  const [isJson, setIsJson] = useState(schema === null)
  const [isCodeShown, setIsCodeShown] = useState(false)
  const [isPromptShown, setIsPromptShown] = useState(false)
  const [problems, setProblems] = useState<Problems>({})
  const [refusal, setRefusal] = useState<{ field?: keyof Draft; message?: string; error?: unknown } | null>(null)
  const [isBusy, setIsBusy] = useState(false)

  const run = async () => {
    const request = requestOf(agent.id, draft)
    const found = schema ? problemsOf(schema, draft.input) : {}
    setProblems(found)
    if (request.kind === 'wrong') return setRefusal({ field: request.field, message: request.message })
    setRefusal(null)
    if (Object.keys(found).length > 0) return
    setIsBusy(true)
    try {
      const idempotencyKey = crypto.randomUUID()
      props.onRun(await client.runs.create(marked(request.body), { wait: false, idempotencyKey }))
    } catch (error) {
      setProblems(problemsOfRefusals(refusalsOf(error), 'input'))
      setRefusal({ error })
    } finally {
      setIsBusy(false)
    }
  }
  const start = useRef(props.startsAtOnce && reason === undefined)
  const starting = useRef(run)
  starting.current = run
  useEffect(() => {
    if (!start.current) return
    start.current = false
    void starting.current()
  }, [])
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || reason !== undefined || isBusy) return
    event.preventDefault()
    void run()
  }
  const set = (part: Partial<Draft>) => setDraft((was) => ({ ...was, ...part }))
  const errorAt = (field: keyof Draft) => (refusal?.field === field ? refusal.message : undefined)
  return (
    <form
      aria-label="Request"
      onKeyDown={onKey}
      onSubmit={(event) => {
        event.preventDefault()
        void run()
      }}
    >
      {agent.description !== null && <p className="mb-3 text-ink-2">{agent.description}</p>}
      {schema !== null && (
        <div className="mb-3">
          <Checkbox
            label="Edit the input as JSON"
            checked={isJson}
            onChange={({ target }) => setIsJson(target.checked)}
          />
        </div>
      )}
      {isJson || schema === null ? (
        <JsonField
          label="Input"
          value={draft.input}
          error={errorAt('input') ?? Object.entries(problems).map(([path, text]) => `${path || 'input'}: ${text}`)[0]}
          onChange={(input) => set({ input })}
        />
      ) : (
        <SchemaForm
          schema={schema}
          value={draft.input}
          onChange={(input) => set({ input })}
          problems={problems}
          onLeave={() => setProblems((was) => (Object.keys(was).length > 0 ? problemsOf(schema, draft.input) : was))}
        />
      )}
      <TextArea
        label="Metadata"
        help="key = value, one on each line. You can filter runs by it."
        rows={2}
        value={draft.metadata}
        error={errorAt('metadata')}
        onChange={({ target }) => set({ metadata: target.value })}
        className="font-mono text-xs"
      />
      <TextField
        label="Timeout in seconds"
        help="Empty: the limit of the agent."
        inputMode="numeric"
        value={draft.timeout}
        error={errorAt('timeout')}
        onChange={({ target }) => set({ timeout: target.value.trim() })}
      />
      {refusal?.error !== undefined && <Problem title="The run was not accepted" error={refusal.error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          kind="primary"
          type="submit"
          isBusy={isBusy}
          reason={reason}
          aria-keyshortcuts="Control+Enter Meta+Enter"
        >
          Run
        </Button>
        <Button aria-expanded={isCodeShown} onClick={() => setIsCodeShown(!isCodeShown)}>
          {isCodeShown ? 'Hide code' : 'As code'}
        </Button>
        {agent.kind === 'llm' && (
          <Button aria-expanded={isPromptShown} onClick={() => setIsPromptShown(!isPromptShown)}>
            {isPromptShown ? 'Hide prompt' : 'Show prompt'}
          </Button>
        )}
        <span className="text-ink-3 text-xs">Ctrl Enter runs</span>
      </div>
      {isPromptShown && <PromptPreview request={requestOf(agent.id, draft)} />}
      {isCodeShown && <AsCode request={requestOf(agent.id, draft)} />}
    </form>
  )
}

/** The request of the form for a program. */
const AsCode = ({ request }: { request: Request }) => (
  <div className="mt-3">
    {request.kind === 'ready' ? (
      <CodeTabs label="The same request" samples={runSamples({ address: apiAddress, request: request.body })} />
    ) : (
      <p className="text-ink-2">{request.message}</p>
    )}
  </div>
)
