import type { CatalogAgent } from '@ars/contract'

/** An agent that can be hired, from its file. */
export type CatalogEntry = {
  key: string
  version: number
  name: string
  description: string
  /** `test` agents need no model; every new organisation gets them. */
  category: string
  kind: 'llm'
  /** The defaults of a hired agent. */
  config: CatalogConfig
  input_schema: Record<string, unknown> | null
  output_schema: Record<string, unknown> | null
  limits: CatalogLimits
  needs_connector: boolean
  sample_input: Record<string, unknown>
  sample_output: Record<string, unknown> | null
  /** The script that `simulated/script` plays instead, so that the agent can be tried without a model's key. */
  simulated: readonly unknown[] | null
}

export type CatalogConfig = Record<string, unknown> & { model: string }

export type CatalogLimits = {
  timeout_seconds?: number
  max_steps?: number
  budget_usd?: number
  budget_action?: 'fail' | 'park'
  max_concurrent_runs?: number
}

export const scriptModel = 'simulated/script'

/** The offered agent: with the operator's model instead of `simulated/script`, or with the script that plays it. */
export const toOffer = (entry: CatalogEntry, catalogModel: string | undefined): CatalogEntry =>
  entry.config.model === scriptModel
    ? { ...entry, config: withScript(entry, { ...entry.config, model: catalogModel ?? scriptModel }) as CatalogConfig }
    : entry

/**
 * The configuration of an agent that is hired with these changes: objects are merged, lists are replaced, null
 * removes a field. The catalog's script is included only with `simulated/script`: a hire with a real model drops it,
 * and a hire with `simulated/script` gets it back. The agents' own check validates the result.
 */
export const hiredConfig = (
  entry: Pick<CatalogEntry, 'config' | 'simulated'>,
  wishes: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const merged = merge(entry.config, wishes)
  return 'script' in wishes ? merged : withScript(entry, merged)
}

const withScript = (
  { simulated }: Pick<CatalogEntry, 'simulated'>,
  { script: _, ...config }: Record<string, unknown>,
): Record<string, unknown> => (config.model === scriptModel && simulated ? { ...config, script: simulated } : config)

/** The client's view. The script is not part of it. */
export const toWireCatalogAgent = ({ config: { script: _, ...config }, ...entry }: CatalogEntry): CatalogAgent => ({
  id: entry.key,
  object: 'catalog_agent',
  key: entry.key,
  version: entry.version,
  name: entry.name,
  description: entry.description,
  category: entry.category,
  kind: entry.kind,
  config,
  input_schema: entry.input_schema,
  output_schema: entry.output_schema,
  limits: { ...noLimits, ...entry.limits },
  needs_connector: entry.needs_connector,
  sample_input: entry.sample_input,
  sample_output: entry.sample_output,
})

/** Whether this text occurs in the agent's description of itself. */
export const mentions = ({ key, name, description, category }: CatalogEntry, text: string): boolean =>
  [key, name, description, category].some((words) => words.toLowerCase().includes(text.toLowerCase()))

const noLimits = {
  timeout_seconds: null,
  max_steps: null,
  budget_usd: null,
  budget_action: null,
  max_concurrent_runs: null,
  approval: null,
}

const merge = (
  base: Readonly<Record<string, unknown>>,
  overrides: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const merged: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(overrides)) {
    const before = merged[name]
    if (value === null) delete merged[name]
    else merged[name] = isObject(value) && isObject(before) ? merge(before, value) : value
  }
  return merged
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
