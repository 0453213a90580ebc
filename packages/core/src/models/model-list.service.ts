import type { Price } from './model.ts'
import { readModelsFile } from './models-file.service.ts'
import { findModel, type ModelsFile } from './models-file.ts'
import { isSimulated } from './simulation.ts'

/** The models that exist. It calls none of them, so it needs no provider's key and loads no provider's library. */
export type ModelList = {
  /** Null: there is no such model. `price` is null when the operator configured none. */
  find(model: string): { model: string; price: Price | null } | null
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
})

const free: Price = { inputPerMillion: 0, outputPerMillion: 0 }
