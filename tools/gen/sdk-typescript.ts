import { type ClientModel, clientModel } from './client-model.ts'
import { note } from './sdk-typescript-names.ts'
import { resourcesFile } from './sdk-typescript-resources.ts'
import { typesFile } from './sdk-typescript-types.ts'
import { schemasFile, valuesFile } from './sdk-typescript-values.ts'

const folder = 'sdks/typescript/src/generated'

/** The generated half of the TypeScript SDK: types, a method for each operation, lists of values, schemas of bodies. */
export const typescriptFiles = (model: ClientModel = clientModel()): Readonly<Record<string, string>> => ({
  [`${folder}/types.ts`]: note + typesFile(model),
  [`${folder}/resources.ts`]: note + resourcesFile(model),
  [`${folder}/values.ts`]: note + valuesFile(model),
  [`${folder}/schemas.ts`]: note + schemasFile(model),
})
