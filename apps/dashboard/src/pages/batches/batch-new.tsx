import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ChangeEvent, useMemo, useState } from 'react'
import { agentNamesQuery } from '../../api/agents.ts'
import { useBatchChanges } from '../../api/batches.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { bytes, count } from '../../ui/format.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { useSubmission } from '../../ui/use-submission.ts'
import { batchBounds, type ParsedItems, parseItems } from './batch-items.ts'

/** Space and line breaks can make a file larger than what is sent. */
const maxFileBytes = 2 * batchBounds.bytes

export const BatchNewPage = () => {
  const search: { agent_id?: string } = useSearch({ from: '/app/batches/new' })
  const navigate = useNavigate()
  const reason = useReason('runs:write')
  const { create } = useBatchChanges()
  const { data: agents = [] } = useQuery(agentNamesQuery)
  const [agentId, setAgentId] = useState(search.agent_id ?? '')
  const [timeout, setTimeoutText] = useState('')
  const [text, setText] = useState('')
  /** A file is not shown as text: it can be large. */
  const [file, setFile] = useState<{ name: string; parsed: ParsedItems } | null>(null)
  const typed = useMemo(() => parseItems(text), [text])
  const parsed = file?.parsed ?? typed
  const choose = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const chosen = target.files?.[0]
    // The same file can be chosen again after it was corrected.
    target.value = ''
    if (!chosen) return
    const tooLarge: ParsedItems = { kind: 'fault', message: 'The file is too large. A batch has at most 32 MiB.' }
    const result = chosen.size > maxFileBytes ? tooLarge : parseItems(await chosen.text())
    setFile({ name: chosen.name, parsed: result })
  }
  const { errors, problem, isBusy, submit } = useSubmission({
    names: ['agent_id', 'items', 'timeout_seconds'],
    check: () => ({
      ...(agentId === '' && { agent_id: 'Choose an agent.' }),
      ...(parsed.kind === 'empty' && { items: 'Write or choose the items.' }),
      ...(parsed.kind === 'fault' && { items: parsed.message }),
      ...(timeout !== '' && !/^[1-9]\d{0,6}$/.test(timeout) && { timeout_seconds: 'Enter whole seconds, or nothing.' }),
    }),
    send: async () => {
      if (parsed.kind !== 'items') return
      const batch = await create({
        agent_id: agentId,
        items: parsed.items,
        ...(timeout !== '' && { timeout_seconds: Number(timeout) }),
      })
      toast('The batch is created.')
      await navigate({ to: '/batches/$batchId', params: { batchId: batch.id } })
    },
  })
  const fault = parsed.kind === 'fault' ? parsed.message : errors.items
  return (
    <>
      <PageHeader
        title="New batch"
        trail={
          <Link to="/batches" className="hover:underline">
            Batches
          </Link>
        }
      />
      <form noValidate onSubmit={(event) => void submit(event)} className="max-w-3xl p-4">
        <SelectField
          label="Agent"
          isRequired
          value={agentId}
          error={errors.agent_id}
          onChange={({ target }) => setAgentId(target.value)}
        >
          <option value="">Choose an agent</option>
          {agents
            .filter(({ status, id }) => status === 'active' || id === agentId)
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
        </SelectField>
        {file === null ? (
          <TextArea
            label="Items"
            isRequired
            rows={12}
            className="font-mono text-xs"
            placeholder={'{"query": "First"}\n{"query": "Second"}'}
            help='The inputs of the runs: a JSON array, or one JSON object per line. To name an item, write {"custom_id": "a-1", "input": {…}}.'
            value={text}
            error={fault}
            onChange={({ target }) => setText(target.value)}
          />
        ) : (
          <div className="mb-3 rounded-lg border border-line p-3">
            <p className="flex flex-wrap items-center gap-2">
              <span className="font-medium [unicode-bidi:isolate]">{file.name}</span>
              <Button isSmall onClick={() => setFile(null)}>
                Remove file
              </Button>
            </p>
            {fault !== undefined && (
              <p role="alert" className="mt-1 text-bad text-xs">
                {fault}
              </p>
            )}
          </div>
        )}
        <label className="mb-3 block">
          <span className="mb-1 block font-medium">Items from a file</span>
          <input
            type="file"
            accept=".json,.jsonl,.ndjson,.txt,application/json"
            onChange={(event) => void choose(event)}
            className="max-w-full text-ink-2 text-xs file:me-2 file:h-8 file:rounded-md file:border file:border-line-strong file:border-solid file:bg-surface file:px-3 file:text-ink"
          />
        </label>
        <p role="status" className="num mb-3 text-ink-2">
          {parsed.kind === 'items' && `${count(parsed.items.length)} items, ${bytes(parsed.bytes)}`}
        </p>
        <TextField
          label="Timeout of each run in seconds (optional)"
          inputMode="numeric"
          value={timeout}
          error={errors.timeout_seconds}
          onChange={({ target }) => setTimeoutText(target.value.trim())}
        />
        {problem !== null && <Problem title="Create batch: failed" error={problem} />}
        <Button kind="primary" type="submit" isBusy={isBusy} reason={reason}>
          Create batch
        </Button>
      </form>
    </>
  )
}
