import type { Agent, CatalogAgent, CreateRun, Run } from '@agent-run-service/sdk'
import { emptyValue, isObject, type Schema } from '../../ui/schema-form/schema-fields.ts'

/** What the playground sends, as a person edits it. */
export type Draft = {
  input: unknown
  /** `key = value`, one on each line. */
  metadata: string
  /** Empty: the limit of the agent. */
  timeout: string
}

const mark = { key: 'ars_source', value: 'playground' } as const

/** The metadata by which the runs of the playground are found. A program that copies the request does not send it. */
export const playgroundMark: Readonly<Record<string, string>> = { [mark.key]: mark.value }

/** What the playground sends for a request. */
export const marked = (request: CreateRun): CreateRun => ({
  ...request,
  metadata: { ...request.metadata, ...playgroundMark },
})

/** A draft that makes the same run again. */
export const draftOfRun = ({ input, metadata }: Pick<Run, 'input' | 'metadata'>): Draft => ({
  input,
  metadata: Object.entries(metadata)
    .filter(([key]) => key !== mark.key)
    .map(([key, value]) => `${key} = ${value}`)
    .join('\n'),
  timeout: '',
})

/** The first draft for an agent: the sample of the catalog, else the defaults of its schema. */
export const firstDraft = (agent: Agent, sample: CatalogAgent | null): Draft => {
  const schema = agent.input_schema as Schema | null
  return {
    input: sample?.sample_input ??
      schema?.examples?.[0] ??
      (schema ? emptyValue(schema) : undefined) ?? { query: 'Hello' },
    metadata: '',
    timeout: '',
  }
}

export type Request = { kind: 'ready'; body: CreateRun } | { kind: 'wrong'; field: keyof Draft; message: string }

/** The request for a draft, without the mark of the playground. */
export const requestOf = (agentId: string, draft: Draft): Request => {
  if (!isObject(draft.input))
    return { kind: 'wrong', field: 'input', message: 'The input is a JSON object, such as {"query": "Hello"}.' }
  const metadata = parseMetadata(draft.metadata)
  if (metadata === null)
    return { kind: 'wrong', field: 'metadata', message: 'Write each pair as key = value on its own line.' }
  const seconds = Number(draft.timeout)
  if (draft.timeout !== '' && !(Number.isInteger(seconds) && seconds > 0)) {
    return { kind: 'wrong', field: 'timeout', message: 'Use a whole number of seconds.' }
  }
  return {
    kind: 'ready',
    body: {
      agent_id: agentId,
      input: draft.input,
      ...(Object.keys(metadata).length > 0 && { metadata }),
      ...(draft.timeout !== '' && { timeout_seconds: seconds }),
    },
  }
}

const parseMetadata = (text: string): Record<string, string> | null => {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const pairs = lines.map((line) => /^\s*([^=]+?)\s*=\s*(.*)$/.exec(line))
  if (pairs.some((pair) => pair === null)) return null
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2]?.trim() ?? '']))
}
