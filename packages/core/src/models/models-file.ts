import { validate } from '@ars/platform/validation'
import { isMap, isNode, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { type Price, priceOf } from './cost.ts'

/** `models.yaml`, in which the operator configures models, their addresses and their prices. */
export type ModelsFile = { providers: ReadonlyMap<string, ProviderEntry>; models: readonly ModelEntry[] }

export const providerKinds = ['openai', 'anthropic', 'google', 'openai-compatible'] as const

export type ProviderEntry = {
  name: string
  kind: (typeof providerKinds)[number]
  /** Undefined: the vendor's own address. Without a trailing slash. */
  baseUrl: string | undefined
  key: { from: 'environment'; variable: string } | { from: 'file'; path: string } | undefined
  /** The location in the file, for error messages. */
  location: string
}

export type ModelEntry = {
  /** `provider/model`, where a trailing star matches the rest. */
  pattern: string
  provider: string
  /** The provider's own name of the model, if it is not the part after the slash. */
  providerModel: string | undefined
  price: Price | null
}

/** The file cannot be used. The message names the location and never a value. */
export class ModelsFileError extends Error {
  override readonly name = 'ModelsFileError'
}

export const noModels: ModelsFile = { providers: new Map(), models: [] }

/** `path` is for the messages only. */
export const parseModelsFile = (text: string, path: string): ModelsFile => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [broken] = document.errors
  if (broken) throw new ModelsFileError(`${path}, line ${lines.linePos(broken.pos[0]).line}: ${broken.message}`)
  const locationOf = (at: readonly PropertyKey[]): string => `${path}, ${at.join('.') || 'the whole file'}${lineOf(at)}`
  const lineOf = (at: readonly PropertyKey[]): string => {
    for (let depth = at.length; depth > 0; depth--) {
      const node: unknown = document.getIn(at.slice(0, depth), true)
      if (isNode(node) && node.range) return ` (line ${lines.linePos(node.range[0]).line})`
    }
    return ''
  }
  const parsed = validate(
    FileSchema,
    document.contents === null || isMap(document.contents) ? (document.toJS() ?? {}) : [],
  )
  if (!('data' in parsed)) {
    const faults = parsed.faults.map(({ path: at, message }) => `${locationOf(at)}: ${message}`)
    throw new ModelsFileError(faults.join('\n'))
  }
  const { providers, models } = parsed.data
  const faults = models.flatMap(({ model }, index) =>
    Object.hasOwn(providers, providerOf(model))
      ? []
      : [`${locationOf(['models', index, 'model'])}: there is no provider ${providerOf(model)} above`],
  )
  const twice = models.findIndex(({ model }, index) => models.findIndex((other) => other.model === model) < index)
  if (twice >= 0) faults.push(`${locationOf(['models', twice, 'model'])}: ${models[twice]?.model} is listed twice`)
  if (faults.length > 0) throw new ModelsFileError(faults.join('\n'))
  return {
    providers: new Map(
      Object.entries(providers).map(([name, given]) => [
        name,
        {
          name,
          kind: given.kind,
          baseUrl: given.base_url?.replace(/\/+$/, ''),
          key: keyOf(given),
          location: locationOf(['providers', name]),
        },
      ]),
    ),
    models: models.map(({ model, provider_model, price_per_million: price }) => ({
      pattern: model,
      provider: providerOf(model),
      providerModel: provider_model,
      price: price ? priceOf(price) : null,
    })),
  }
}

/** An exact entry wins over one with a star, and among those the longest. */
export const findModel = ({ providers, models }: ModelsFile, model: string): ModelEntry | undefined => {
  const exact = models.find(({ pattern }) => pattern === model)
  if (exact) return exact
  return models
    .filter(
      ({ pattern, provider }) =>
        pattern.endsWith('*') &&
        model.length >= pattern.length &&
        model.startsWith(pattern.slice(0, -1)) &&
        isNameOf(providers.get(provider)?.kind, model.slice(provider.length + 1)),
    )
    .sort((one, other) => other.pattern.length - one.pattern.length)[0]
}

/**
 * A name that customers may choose. Google has it in the path of the request, which is made with the key of the operator: there
 * `models/` would also make a second name of each model, with the price of another pattern.
 */
export const isNameOf = (kind: ProviderEntry['kind'] | undefined, name: string): boolean =>
  plainName.test(name) && !(kind === 'google' && name.startsWith('models/'))

const plainName = /^@?[A-Za-z0-9][\w.:@+~-]*(\/@?[A-Za-z0-9][\w.:@+~-]*)*$/

/** The model name that is sent to the provider. */
export const providerModelOf = (entry: ModelEntry, model: string): string =>
  entry.providerModel ?? model.slice(entry.provider.length + 1)

const providerOf = (model: string): string => model.slice(0, model.indexOf('/'))

const keyOf = ({ api_key_env: variable, api_key_file: path }: z.output<typeof Provider>): ProviderEntry['key'] => {
  if (variable !== undefined) return { from: 'environment', variable }
  return path === undefined ? undefined : { from: 'file', path }
}

const isPlainAddress = (text: string): boolean => {
  if (!URL.canParse(text) || /[\s\\?#@]/.test(text)) return false
  return ['http:', 'https:'].includes(new URL(text).protocol)
}

const Provider = z
  .strictObject({
    kind: z.enum(providerKinds, `must be one of ${providerKinds.join(', ')}`),
    base_url: z
      .string()
      .refine(isPlainAddress, 'must be an http:// or https:// address without user, password, query or fragment')
      .optional(),
    api_key_env: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable')
      .optional(),
    api_key_file: z.string().min(1).optional(),
  })
  .refine((given) => given.api_key_env === undefined || given.api_key_file === undefined, {
    message: 'has the key from the environment or from a file, not both',
  })
  .refine((given) => given.kind !== 'openai-compatible' || given.base_url !== undefined, {
    message: 'needs base_url, because openai-compatible names no vendor',
  })
  .refine((given) => given.kind === 'openai-compatible' || given.api_key_env || given.api_key_file, {
    message: 'needs api_key_env or api_key_file',
  })

const amount = z.number().min(0).max(1_000_000)

const Model = z
  .strictObject({
    model: z
      .string()
      .max(200)
      .regex(/^[a-z][a-z0-9-]{0,31}\/[^\s*]*\*?$/, 'must look like provider/model, or end in a star')
      .refine((model) => !model.endsWith('/'), 'must look like provider/model, or end in a star'),
    provider_model: z.string().min(1).max(200).optional(),
    price_per_million: z
      .strictObject({
        input: amount,
        output: amount,
        cached_input: amount.optional(),
        cache_write: amount.optional(),
        reasoning: amount.optional(),
      })
      .optional(),
  })
  .refine((given) => given.provider_model === undefined || !given.model.endsWith('*'), {
    message: 'cannot have provider_model, because its name stands for many',
  })

const providerName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be small letters, digits and hyphens, at most 32')
  .refine((name) => name !== 'simulated', 'is the name of the built-in models')

const FileSchema = z.strictObject(
  { providers: z.record(providerName, Provider).default({}), models: z.array(Model).max(2000).default([]) },
  { error: (issue) => (issue.code === 'invalid_type' ? 'must hold providers: and models:' : undefined) },
)
