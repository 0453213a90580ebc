import type { Model } from '@ars/contract'
import { pageSize } from '../page.ts'
import { free, type Price } from './cost.ts'
import { readModelsFile } from './models-file.service.ts'
import { findModel, type ModelsFile } from './models-file.ts'
import { isSimulated, simulatedModels as simulatedIds } from './simulation.ts'

/** The models that exist. It calls none of them, so it needs no provider's key and loads no provider's library. */
export type ModelList = {
  /** Null: there is no such model. `price` is null when the operator configured none. */
  find(model: string): { model: string; price: Price | null } | null
  /** By id, alphabetically: up to one beyond the page, and with `before` the nearest first. */
  list(page: ModelPage): Model[]
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
}: {
  modelsFile: string | undefined
  simulatedModels?: Switch
}): ModelList => modelListOf(readModelsFile(modelsFile), { simulatedModels })

/** Off: the operator refuses `simulated/…` models, which cost nothing and amplify their input. */
export type Switch = 'on' | 'off' | undefined

export const modelListOf = (file: ModelsFile, { simulatedModels }: { simulatedModels?: Switch } = {}): ModelList => ({
  find: (model) => {
    if (isSimulated(model)) return simulatedModels === 'off' ? null : { model, price: free }
    const entry = findModel(file, model)
    return entry ? { model, price: entry.price } : null
  },
  list: ({ limit, after, before, q }) => {
    const listed = [
      ...(simulatedModels === 'off' ? [] : simulatedIds.map((id) => wireOf(id, free, id === 'simulated/script'))),
      ...file.models.map(({ pattern, price }) => wireOf(pattern, price, null)),
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
