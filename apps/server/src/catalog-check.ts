import { builtInCatalogFolder, type FileReport, faultText, readCatalogFolder } from '@ars/core/catalog'
import { Config } from '@ars/core/config'
import { createModelList } from '@ars/core/models'
import { createValidator } from '@ars/core/schemas'
import { parseConfig } from '@ars/platform/config'

/**
 * `ars-server catalog check [folder]`: prints every file with `ok` or its faults, and exits 1 if there are faults.
 * Without a folder it checks the built-in catalog and the operator's. It can check model names only with
 * ARS_MODELS_FILE.
 */
export const checkCatalog = (env: NodeJS.ProcessEnv, folder: string | undefined): number => {
  const { catalogFolder, modelsFile } = parseConfig(Settings, ownOnly(env))
  const folders = folder === undefined ? [builtInCatalogFolder, catalogFolder] : [folder]
  const checks = {
    validator: createValidator(),
    models: modelsFile === undefined ? null : createModelList({ modelsFile }),
  }
  const reports = folders.flatMap((each) => (each === undefined ? [] : readCatalogFolder(each, checks)))
  process.stdout.write(reports.flatMap(linesOf).join(''))
  const wrong = reports.filter(({ faults }) => faults.length > 0).length
  if (wrong > 0) process.stdout.write(`${wrong} of ${reports.length} files are invalid.\n`)
  else process.stdout.write(reports.length === 0 ? 'No files found.\n' : `All ${reports.length} files are valid.\n`)
  return wrong === 0 ? 0 : 1
}

const Settings = Config.pick({ catalogFolder: true, modelsFile: true })

// Reads only the settings it needs, so that no other setting can prevent the check.
const ownOnly = ({ ARS_CATALOG_FOLDER, ARS_MODELS_FILE }: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ARS_CATALOG_FOLDER,
  ARS_MODELS_FILE,
})

const linesOf = ({ file, entry, faults }: FileReport): string[] =>
  entry ? [`ok    ${file}, version ${entry.version}\n`] : faults.map((fault) => `FAIL  ${faultText(file, fault)}\n`)
