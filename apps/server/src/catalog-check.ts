import { builtInCatalogFolder, catalogLimits, type FileReport, faultText, readCatalogFolder } from '@ars/core/catalog'
import { Config } from '@ars/core/config'
import { createModelList, createSchemas } from '@ars/core/models'
import { systemClock } from '@ars/platform/clock'
import { parseConfig } from '@ars/platform/config'

/**
 * `ars-server catalog check [folder]`: every file with `ok` or all that is wrong with it; exits 1 when something is. Without
 * a folder it looks at the service's own and at the operator's. Whether a model exists it can tell only with ARS_MODELS_FILE.
 */
export const checkCatalog = (env: NodeJS.ProcessEnv, folder: string | undefined): number => {
  const { catalogFolder, modelsFile } = parseConfig(Settings, ownOnly(env))
  const folders = folder === undefined ? [builtInCatalogFolder, catalogFolder] : [folder]
  const checks = {
    schemas: createSchemas(systemClock, catalogLimits),
    models: modelsFile === undefined ? null : createModelList({ modelsFile }),
  }
  const reports = folders.flatMap((each) => (each === undefined ? [] : readCatalogFolder(each, checks)))
  process.stdout.write(reports.flatMap(linesOf).join(''))
  const wrong = reports.filter(({ faults }) => faults.length > 0).length
  if (wrong > 0) process.stdout.write(`${wrong} of ${reports.length} files cannot be used.\n`)
  else
    process.stdout.write(reports.length === 0 ? 'There are no files.\n' : `All ${reports.length} files can be used.\n`)
  return wrong === 0 ? 0 : 1
}

const Settings = Config.pick({ catalogFolder: true, modelsFile: true })

// Checking needs no other setting, so no other one can keep it from starting.
const ownOnly = ({ ARS_CATALOG_FOLDER, ARS_MODELS_FILE }: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ARS_CATALOG_FOLDER,
  ARS_MODELS_FILE,
})

const linesOf = ({ file, entry, faults }: FileReport): string[] =>
  entry ? [`ok    ${file}, version ${entry.version}\n`] : faults.map((fault) => `FAIL  ${faultText(file, fault)}\n`)
