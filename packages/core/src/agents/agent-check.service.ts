import { type ErrorCode, limits, type Rollout } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import type { Egress } from '@ars/platform/egress/egress'
import { toUuid } from '@ars/platform/id'
import { listKnownConnectors } from '../connectors/index.ts'
import { Fault } from '../fault.ts'
import { isSimulated, type ModelList, problemsOfScript } from '../models/index.ts'
import type { InputTemplates } from '../prompts/index.ts'
import type { Schemas } from '../schemas/index.ts'
import type { Agent, AgentContent } from './agent.ts'
import type { ContentPatch } from './agent-change.ts'
import { agentsBounds } from './bounds.ts'

/** A fault with its path in the request, as an error's `details` show it. */
export type ConfigFault = { param: string; message: string }

// A response names the faults, but does not repeat a large request.
const maxFaults = agentsBounds.faultsTold.count

export type CheckDeps = {
  models: Pick<ModelList, 'find'>
  schemas: Pick<Schemas, 'checkSchema'>
  templates: Pick<InputTemplates, 'check'>
  egress: Pick<Egress, 'checkUrl'>
}

/** Refuses fields of another kind of agent and invalid scripts. */
export const requireReadable = (kind: Agent['kind'], { config }: ContentPatch): void => {
  const foreign = Object.keys(config ?? {}).filter((field) => !fieldsOf[kind].includes(field))
  refuse('config_invalid', [
    ...foreign.map((field) => ({ param: `config.${field}`, message: `does not belong to an agent of kind ${kind}` })),
    ...scriptFaults(config?.script),
  ])
}

const fieldsOf: Record<Agent['kind'], readonly string[]> = {
  llm: [
    'model',
    'fallback_models',
    'instructions',
    'input_template',
    'temperature',
    'max_output_tokens',
    'tools',
    'script',
  ],
  remote: ['url', 'auth'],
}

const scriptFaults = (script: unknown): ConfigFault[] =>
  Array.isArray(script)
    ? problemsOfScript(script).map(({ path, message }) => ({
        param: ['config.script', ...path.map(String)].join('.'),
        message,
      }))
    : []

/** The faults of the schemas and of the template of a request. Outside any transaction: it can wait for a thread. */
export const findComputedFaults = async (
  { schemas, templates }: Pick<CheckDeps, 'schemas' | 'templates'>,
  org: string,
  sent: { [Field in 'input_schema' | 'output_schema']?: AgentContent[Field] | undefined } & {
    config?: Readonly<Record<string, unknown>> | undefined
  },
): Promise<ConfigFault[]> => {
  const faults: ConfigFault[] = []
  for (const field of ['input_schema', 'output_schema'] as const) {
    const schema = sent[field]
    const problems = schema ? await schemas.checkSchema(org, schema) : []
    faults.push(...problems.map((message) => ({ param: field, message })))
  }
  const template = sent.config?.input_template
  const problems = typeof template === 'string' ? await templates.check(org, template) : []
  faults.push(...problems.map((message) => ({ param: 'config.input_template', message })))
  return faults
}

/**
 * Refuses an agent that could not work once released, with every fault and its path. Connectors are checked afterwards.
 * Schemas and templates that the request does not name were checked when they were stored, or with their catalog file.
 */
export const requireWorkable = (
  deps: CheckDeps,
  agent: AgentContent & Pick<Agent, 'kind'>,
  { computedFaults = [], rollout }: { computedFaults?: readonly ConfigFault[]; rollout?: Rollout | undefined } = {},
): void => {
  const faults = [...computedFaults, ...policyFaults(agent), ...metadataFaults(agent)]
  if (agent.kind === 'llm') faults.unshift(...modelFaults(deps, agent), ...toolFaults(agent))
  if (!isPriced(deps, agent)) faults.push(...costFaults(agent, rollout))
  refuse('config_invalid', faults)
  if (agent.kind !== 'remote') return
  const verdict = deps.egress.checkUrl(String(agent.config.url))
  if (!verdict.ok) throw new Fault('url_not_allowed', verdict.reason, { param: 'config.url' })
}

/** Refuses an agent that names a connector which its organisation does not have. */
export const requireConnectors = async (
  tx: Tx,
  org: string,
  { config }: Pick<AgentContent, 'config'>,
): Promise<void> => {
  if (!Array.isArray(config.tools) || config.tools.length === 0) return
  const ids = config.tools.map((tool: { connector_id: string }) => tool.connector_id)
  const known = await listKnownConnectors(tx, org, ids.map(toUuid))
  const missing = ids.findIndex((id) => !known.has(toUuid(id)))
  if (missing < 0) return
  throw new Fault('not_found', `No connector ${ids[missing]}`, { param: `config.tools.${missing}.connector_id` })
}

export const refuse = (code: Exclude<ErrorCode, 'unavailable'>, faults: readonly ConfigFault[]): void => {
  const [first] = faults
  if (!first) return
  throw new Fault(code, `${first.param}: ${first.message}`, {
    param: first.param,
    details: faults.slice(0, maxFaults),
  })
}

const modelFaults = ({ models }: CheckDeps, { config }: AgentContent): ConfigFault[] => {
  const model = String(config.model)
  const faults = modelsOf(config).flatMap(({ param, name, isTwice }): ConfigFault[] => {
    if (isTwice) return [{ param, message: `names the model ${name} twice` }]
    if (name.endsWith('*')) return [{ param, message: `${name} stands for many models. Name one of them` }]
    if (models.find(name)) return []
    const message = isSimulated(name)
      ? `${name} cannot be used: simulated models are switched off here`
      : `There is no model ${name}${name.includes('/') ? '' : '. A name has its provider before a slash, such as openai/gpt-5-mini'}`
    return [{ param, message }]
  })
  if (config.script !== undefined && model !== scriptModel) {
    faults.push({ param: 'config.script', message: `Only ${scriptModel} plays a script` })
  }
  return faults
}

/** The model of an agent and its fallbacks. */
const modelsOf = ({ model, fallback_models }: AgentContent['config']) => {
  const fallbacks = (Array.isArray(fallback_models) ? fallback_models : []).map(String)
  const names = [String(model), ...fallbacks]
  return names.map((name, at) => ({
    name,
    param: at === 0 ? 'config.model' : `config.fallback_models.${at - 1}`,
    isTwice: names.indexOf(name) < at,
  }))
}

const scriptModel = 'simulated/script'

const toolFaults = ({ config }: AgentContent): ConfigFault[] => {
  if (!Array.isArray(config.tools)) return []
  const tools = config.tools as { connector_id: string; allow?: string[]; require_approval?: string[] }[]
  const paramOf = (at: number, field: string): string => `config.tools.${at}.${field}`
  const connectors = twicesIn(tools.map(({ connector_id }) => connector_id))
  return [
    ...connectors.map(({ at }) => ({ param: paramOf(at, 'connector_id'), message: 'names the same connector twice' })),
    ...tools.flatMap((tool, at) =>
      (['allow', 'require_approval'] as const).flatMap((field) =>
        twicesIn(tool[field] ?? []).map(({ text, at: index }) => ({
          param: `${paramOf(at, field)}.${index}`,
          message: `names the tool ${text} twice`,
        })),
      ),
    ),
  ]
}

const twicesIn = (texts: readonly string[]): { text: string; at: number }[] => {
  const seen = new Set<string>()
  return texts.flatMap((text, at) => {
    if (seen.has(text)) return [{ text, at }]
    seen.add(text)
    return []
  })
}

// A policy belongs to no version of an agent: it must be possible to change it without a release, and by other people.
const policyFaults = ({ policies }: AgentContent): ConfigFault[] =>
  policies.map((_, at) => ({
    param: `policies.${at}`,
    message: 'Policies are attached with POST /policies/{id}/attachments',
  }))

const metadataFaults = ({ metadata }: AgentContent): ConfigFault[] =>
  Object.keys(metadata).length > limits.metadataKeys
    ? [{ param: 'metadata', message: `has at most ${limits.metadataKeys} keys` }]
    : []

/** The cost of a remote agent is unknown here. An unlisted model is a separate fault. */
const isPriced = ({ models }: CheckDeps, { kind, config }: AgentContent & Pick<Agent, 'kind'>): boolean => {
  if (kind === 'remote') return false
  return modelsOf(config).every(({ name }) => models.find(name)?.price !== null)
}

const costFaults = (content: AgentContent, rollout: Rollout | undefined): ConfigFault[] => {
  const words = 'needs a price for each model, and one has none'
  const rules = rollout?.strategy === 'canary' ? rollout.rollback_rules : []
  const costly = rules.flatMap(({ metric }, at) => (metric === 'cost_per_run_usd' ? [at] : []))
  return [
    ...(content.limits.budget_usd === undefined ? [] : [{ param: 'limits.budget_usd', message: words }]),
    ...costly.map((at) => ({ param: `rollout.rollback_rules.${at}.metric`, message: words })),
  ]
}
