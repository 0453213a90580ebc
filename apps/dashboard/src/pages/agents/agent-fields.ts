import type { AgentTool, ConnectorAuthInput } from '@agent-run-service/sdk'

export type Json = { readonly [key: string]: unknown }

/** The form of an agent. Numbers and JSON are text here: a person types them. */
export type AgentFields = {
  name: string
  description: string
  kind: 'llm' | 'remote'
  model: string
  /** One per line. */
  fallback_models: string
  temperature: string
  max_output_tokens: string
  instructions: string
  input_template: string
  /** Only for the model `simulated/script`. */
  script: string
  tools: ToolFields[]
  url: string
  /** `keep`: the stored credential stays. */
  auth_type: 'keep' | 'none' | 'bearer' | 'header'
  auth_header: string
  auth_secret: string
  input_schema: string
  output_schema: string
  timeout_seconds: string
  max_steps: string
  budget_usd: string
  max_concurrent_runs: string
  approval_by: 'anyone' | 'person'
  approval_not_starter: boolean
  metadata: { key: string; value: string }[]
}

export type ToolFields = {
  connector_id: string
  /** All approved tools, or those of `allow`. */
  use: 'all' | 'some'
  allow: string[]
  /** Who is asked: by the hints of the tools, in addition for `require_approval`, or nobody. */
  ask: 'default' | 'some' | 'nobody'
  require_approval: string[]
}

/** What the service stores about an agent and a version keeps. */
export type AgentContent = {
  name: string
  description: string | null
  config: Json
  input_schema: Json | null
  output_schema: Json | null
  limits: Json
  metadata: Readonly<Record<string, string>>
}

/** A mistake in the form, at its field. */
export type FieldFault = { field: string; message: string }

export const scriptModel = 'simulated/script'
const limitNames = ['timeout_seconds', 'max_steps', 'budget_usd', 'max_concurrent_runs'] as const

export const newFields = (kind: AgentFields['kind']): AgentFields =>
  fieldsOf(
    { name: '', description: null, config: {}, input_schema: null, output_schema: null, limits: {}, metadata: {} },
    kind,
  )

/** The form for a stored agent or version. */
export const fieldsOf = (content: AgentContent, kind: AgentFields['kind']): AgentFields => {
  const { config, limits } = content
  const approval = (limits.approval ?? null) as { by: 'anyone' | 'person'; not_starter: boolean } | null
  return {
    name: content.name,
    description: content.description ?? '',
    kind,
    model: textOf(config.model),
    fallback_models: ((config.fallback_models ?? []) as string[]).join('\n'),
    temperature: textOf(config.temperature),
    max_output_tokens: textOf(config.max_output_tokens),
    instructions: textOf(config.instructions),
    input_template: textOf(config.input_template),
    script: jsonText(config.script),
    tools: ((config.tools ?? []) as AgentTool[]).map(toolFieldsOf),
    url: textOf(config.url),
    auth_type: ((config.auth as Json | undefined)?.type ?? 'none') === 'none' ? 'none' : 'keep',
    auth_header: textOf((config.auth as Json | undefined)?.header),
    auth_secret: '',
    input_schema: jsonText(content.input_schema),
    output_schema: jsonText(content.output_schema),
    timeout_seconds: textOf(limits.timeout_seconds),
    max_steps: textOf(limits.max_steps),
    budget_usd: textOf(limits.budget_usd),
    max_concurrent_runs: textOf(limits.max_concurrent_runs),
    approval_by: approval?.by ?? 'anyone',
    approval_not_starter: approval?.not_starter ?? false,
    metadata: Object.entries(content.metadata).map(([key, value]) => ({ key, value })),
  }
}

/** The content that the form describes. `stored` is the agent that is edited: its hidden credential can stay. */
export const contentOf = (
  fields: AgentFields,
  stored?: AgentContent,
): { content: AgentContent; faults: readonly FieldFault[] } => {
  const faults: FieldFault[] = []
  const read = reader(fields, faults)
  if (fields.name.trim() === '') faults.push({ field: 'name', message: 'Give the agent a name.' })
  const content = {
    name: fields.name.trim(),
    description: fields.description.trim() === '' ? null : fields.description,
    config: fields.kind === 'llm' ? modelConfig(fields, read, faults) : remoteConfig(fields, stored, faults),
    input_schema: read.object('input_schema'),
    output_schema: read.object('output_schema'),
    limits: present({
      ...Object.fromEntries(limitNames.map((name) => [name, read.number(name)])),
      approval:
        fields.approval_by === 'anyone' && !fields.approval_not_starter
          ? null
          : { by: fields.approval_by, not_starter: fields.approval_not_starter },
    }),
    metadata: metadataOf(fields, faults),
  }
  return { content, faults }
}

/** The field of the form for a path of the API, such as `config.tools.0.allow.1`. */
export const fieldOfPath = (path: string): string => {
  const [first = '', second = '', third = ''] = path.split('.')
  if (first === 'config') {
    if (second === 'tools') return third === '' ? 'tools' : `tools.${third}.connector_id`
    if (second === 'auth') return third === 'header' ? 'auth_header' : 'auth_secret'
    return second
  }
  if (first === 'limits') return second === 'approval' ? 'approval_by' : second
  if (first === 'rollout') return path
  return first
}

const modelConfig = (fields: AgentFields, read: Reader, faults: FieldFault[]): Json => {
  if (fields.model.trim() === '') faults.push({ field: 'model', message: 'Choose a model.' })
  if (fields.model.includes('*')) {
    faults.push({ field: 'model', message: 'Replace * with the name of a model of this provider.' })
  }
  fields.tools.forEach(({ connector_id }, n) => {
    if (connector_id === '') faults.push({ field: `tools.${n}.connector_id`, message: 'Choose a connector.' })
  })
  return present({
    model: fields.model.trim(),
    fallback_models: linesOf(fields.fallback_models),
    temperature: read.number('temperature'),
    max_output_tokens: read.number('max_output_tokens'),
    instructions: fields.instructions === '' ? null : fields.instructions,
    input_template: fields.input_template === '' ? null : fields.input_template,
    script: fields.model.trim() === scriptModel ? read.list('script') : null,
    tools: fields.tools.length === 0 ? null : fields.tools.map(toolOf),
  })
}

const remoteConfig = (fields: AgentFields, stored: AgentContent | undefined, faults: FieldFault[]): Json => {
  if (fields.url.trim() === '') faults.push({ field: 'url', message: 'Give the address of your endpoint.' })
  if (fields.auth_type === 'header' && fields.auth_header.trim() === '') {
    faults.push({ field: 'auth_header', message: 'Name the header.' })
  }
  const needsSecret = fields.auth_type === 'bearer' || fields.auth_type === 'header'
  if (needsSecret && fields.auth_secret === '') {
    faults.push({ field: 'auth_secret', message: 'Give the credential. The service stores it encrypted.' })
  }
  const auth = fields.auth_type === 'keep' ? stored?.config.auth : authOf(fields)
  return present({ url: fields.url.trim(), auth })
}

const authOf = (fields: Pick<AgentFields, 'auth_type' | 'auth_header' | 'auth_secret'>): ConnectorAuthInput => {
  if (fields.auth_type === 'bearer') return { type: 'bearer', token: fields.auth_secret }
  if (fields.auth_type !== 'header') return { type: 'none' }
  return { type: 'header', header: fields.auth_header.trim(), value: fields.auth_secret }
}

const toolFieldsOf = ({ connector_id, allow, require_approval }: AgentTool): ToolFields => ({
  connector_id,
  use: allow === undefined ? 'all' : 'some',
  allow: [...(allow ?? [])],
  ask: askOf(require_approval),
  require_approval: [...(require_approval ?? [])],
})

const askOf = (names: readonly string[] | undefined): ToolFields['ask'] => {
  if (names === undefined) return 'default'
  return names.length === 0 ? 'nobody' : 'some'
}

const toolOf = ({ connector_id, use, allow, ask, require_approval }: ToolFields): AgentTool => ({
  connector_id,
  ...(use === 'some' && { allow }),
  // An empty list means that nobody is asked; a person who chose «also these» and no tool did not mean that.
  ...(ask === 'some' && require_approval.length > 0 && { require_approval }),
  ...(ask === 'nobody' && { require_approval: [] }),
})

const metadataOf = ({ metadata }: AgentFields, faults: FieldFault[]): Record<string, string> => {
  const kept = metadata.filter(({ key, value }) => key.trim() !== '' || value !== '')
  kept.forEach(({ key }, n) => {
    if (key.trim() === '') faults.push({ field: 'metadata', message: 'Each value needs a key.' })
    if (kept.findIndex((other) => other.key.trim() === key.trim()) < n) {
      faults.push({ field: 'metadata', message: `The key ${key.trim()} occurs twice.` })
    }
  })
  return Object.fromEntries(kept.map(({ key, value }) => [key.trim(), value]))
}

type Reader = ReturnType<typeof reader>

const reader = (fields: AgentFields, faults: FieldFault[]) => {
  const json = (field: 'input_schema' | 'output_schema' | 'script'): unknown => {
    if (fields[field].trim() === '') return null
    try {
      return JSON.parse(fields[field])
    } catch (error) {
      faults.push({ field, message: `This is not JSON: ${(error as Error).message}` })
      return null
    }
  }
  return {
    number: (field: (typeof limitNames)[number] | 'temperature' | 'max_output_tokens'): number | null => {
      const text = fields[field].trim()
      if (text === '') return null
      const value = Number(text)
      if (!Number.isFinite(value)) faults.push({ field, message: 'This is not a number.' })
      return Number.isFinite(value) ? value : null
    },
    object: (field: 'input_schema' | 'output_schema'): Json | null => {
      const value = json(field)
      if (value === null) return null
      if (typeof value === 'object' && !Array.isArray(value)) return value as Json
      faults.push({ field, message: 'A JSON Schema is an object: { … }.' })
      return null
    },
    list: (field: 'script'): readonly unknown[] | null => {
      const value = json(field)
      if (value === null || Array.isArray(value)) return value
      faults.push({ field, message: 'A script is a list of turns: [ … ].' })
      return null
    },
  }
}

const present = (values: Readonly<Record<string, unknown>>): Json =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))

/** Null: no line. */
const linesOf = (text: string): readonly string[] | null => {
  const lines = text.split('\n').flatMap((line) => line.trim() || [])
  return lines.length === 0 ? null : lines
}

const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value))

const jsonText = (value: unknown): string =>
  value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
