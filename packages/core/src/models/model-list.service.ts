import type { Model } from '@ars/contract'
import { pageSize } from '../page.ts'
import { free, type Price } from './cost.ts'
import { readModelsFile } from './models-file.service.ts'
import { findModel, isNameOf, type ModelsFile } from './models-file.ts'
import { isVendor, type OutsideFile, type Vendor, vendorModels, vendors } from './outside-file.ts'
import { isSimulated, simulatedModels as simulatedIds } from './simulation.ts'

/** The models that exist. It calls none of them, so it needs no provider's key and loads no provider's library. */
export type ModelList = {
  /** Null: there is no such model. `price` is null when the operator configured none. */
  find(model: string): { model: string; price: Price | null } | null
  /** By id, alphabetically: up to one beyond the page, and with `before` the nearest first. */
  list(page: ModelPage): Model[]
  /** With the models of vendors of which an organisation has a key. */
  withKeysOf(own: ReadonlySet<Vendor>): ModelList
}

export type ModelPage = {
  limit?: number | undefined
  after?: string | undefined
  before?: string | undefined
  q?: string | undefined
}

/** Read once. An unusable file throws, and the message names the location. */
export const createModelList = ({
  modelsFile,
  simulatedModels,
  outside,
}: {
  modelsFile: string | undefined
  simulatedModels?: Switch
  /** Undefined: nothing but the file counts. */
  outside?: OutsideFile
}): ModelList => modelListOf(readModelsFile(modelsFile, outside), { simulatedModels })

/** Off: the operator refuses `simulated/…` models, which cost nothing and amplify their input. */
export type Switch = 'on' | 'off' | undefined

export const modelListOf = (
  file: ModelsFile,
  { simulatedModels, own = none }: { simulatedModels?: Switch; own?: ReadonlySet<Vendor> } = {},
): ModelList => ({
  withKeysOf: (keys) => modelListOf(file, { simulatedModels, own: keys }),
  find: (model) => {
    if (isSimulated(model)) return simulatedModels === 'off' ? null : { model, price: free }
    const entry = findModel(file, model)
    if (entry) return { model, price: entry.price }
    const vendor = vendorOf(model)
    return vendor && own.has(vendor) ? { model, price: null } : null
  },
  list: ({ limit, after, before, q }) => {
    const listed = [
      ...(simulatedModels === 'off' ? [] : simulatedIds.map((id) => wireOf(id, free, id === 'simulated/script'))),
      ...file.models.map(({ pattern, price }) => wireOf(pattern, price, null)),
      ...[...own]
        .map((name) => vendorModels(name).pattern)
        .filter((pattern) => !file.models.some((listed) => listed.pattern === pattern))
        .map((pattern) => wireOf(pattern, null, null)),
    ].sort((one, other) => (one.id < other.id ? -1 : 1))
    const wanted = listed.filter(
      ({ id }) =>
        (after === undefined || id > after) &&
        (before === undefined || id < before) &&
        (q === undefined || id.toLowerCase().includes(q.toLowerCase())),
    )
    return (before === undefined ? wanted : wanted.toReversed()).slice(0, pageSize({ limit }) + 1)
  },
})

const none: ReadonlySet<Vendor> = new Set()

/** The vendor in the name of a model; null: it names no model of a vendor. */
export const vendorOf = (model: string): Vendor | null => {
  const provider = model.slice(0, model.indexOf('/'))
  return isVendor(provider) && isNameOf(vendors[provider].kind, model.slice(provider.length + 1)) ? provider : null
}

const wireOf = (id: string, price: Price | null, supportsTools: boolean | null): Model => ({
  id,
  object: 'model',
  provider: id.slice(0, id.indexOf('/')),
  is_pattern: id.endsWith('*'),
  price: price && {
    input_usd_per_million: price.inputPerMillion,
    output_usd_per_million: price.outputPerMillion,
    cached_input_usd_per_million: price.cachedInputPerMillion,
    cache_write_usd_per_million: price.cacheWritePerMillion,
    reasoning_usd_per_million: price.reasoningPerMillion,
  },
  supports_tools: supportsTools,
})
