import type { Price } from './model.ts'
import { readModelsFile } from './models-file.service.ts'
import { findModel, type ModelsFile } from './models-file.ts'
import { isSimulated } from './simulation.ts'

/** Which models exist. It calls none of them, so it needs no provider's key and loads no provider's library. */
export type ModelList = {
  /** Null: there is no such model. `price` is null where the operator gave none. */
  find(model: string): { model: string; price: Price | null } | null
}

/** Read once; a file that cannot be used throws, and the message names the place. */
export const createModelList = ({ modelsFile }: { modelsFile: string | undefined }): ModelList =>
  modelListOf(readModelsFile(modelsFile))

export const modelListOf = (file: ModelsFile): ModelList => ({
  find: (model) => {
    if (isSimulated(model)) return { model, price: free }
    const entry = findModel(file, model)
    return entry ? { model, price: entry.price } : null
  },
})

const free: Price = { inputPerMillion: 0, outputPerMillion: 0 }
