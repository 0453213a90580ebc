import type { Parts } from '@ars/core'
import { faultText, readCatalogFolder } from '@ars/core/catalog'
import type { Config } from '@ars/core/config'
import { checkModelsFile, createModelList } from '@ars/core/models'
import { createValidator } from '@ars/core/schemas'
import { checkKeks } from '@ars/core/secrets'
import { describe, type Finding, skipped } from './finding.ts'

/** Gateways need the list of models; workers also need the keys of the providers. */
export const checkModels = (
  { modelsFile }: Config,
  environment: NodeJS.ProcessEnv,
  role: 'gateway' | 'worker',
): Finding[] => {
  const what = 'models file'
  if (modelsFile === undefined) return [{ what, found: 'not set: only simulated models exist' }]
  try {
    const { models, providers } = checkModelsFile(modelsFile, role === 'worker' ? environment : null)
    return [{ what, found: `${models} models of ${providers} providers` }]
  } catch (error) {
    return [{ what, found: describe(error), advice: 'Correct ARS_MODELS_FILE. No process starts with it.' }]
  }
}

export const checkCatalogFolder = ({ catalogFolder, modelsFile }: Config): Finding[] => {
  const what = 'catalog folder'
  if (catalogFolder === undefined) return [{ what, found: 'not set: only the built-in catalog is offered' }]
  try {
    const models = createModelList({ modelsFile })
    const reports = readCatalogFolder(catalogFolder, { validator: createValidator(), models })
    const [first] = reports.flatMap(({ file, faults }) => faults.map((fault) => faultText(file, fault)))
    if (first === undefined) return [{ what, found: `${reports.length} files` }]
    const advice = 'Correct ARS_CATALOG_FOLDER or its files. `ars-server catalog check` lists all faults.'
    return [{ what, found: first, advice }]
  } catch (error) {
    return [{ what, found: describe(error), advice: 'Correct ARS_CATALOG_FOLDER. No gateway starts with it.' }]
  }
}

/** Checks that every key that wraps a data key of an organisation is available. */
export const checkKeys = async ({ system, keyring }: Parts): Promise<Finding[]> => {
  const what = 'key-encryption keys'
  const checks = await checkKeks({ system, keyring }).catch(() => null)
  if (!checks) return [skipped(what, 'not checked: the organisations cannot be read')]
  if (checks.length === 0)
    return [{ what, found: 'none, so no credentials are stored, and no policy can redact or hold back' }]
  return checks.map(({ kekId, organisations, fault }) => {
    const found = `${kekId}${kekId === keyring?.activeKekId ? ', active' : ''}: ${organisations} organisations`
    return fault === null
      ? { what, found: `${found}, available` }
      : {
          what,
          found: `${found}; ${fault}`,
          advice: `Check ARS_KEK_FILE or ARS_KEKS. Data keys wrapped with ${kekId} cannot be decrypted without it.`,
        }
  })
}
