import { type GatewayParts, outsideOf, type Parts } from '@ars/core'
import { createAccess, readPlansFile } from '@ars/core/access'
import { faultText, readCatalogFolder } from '@ars/core/catalog'
import type { Config } from '@ars/core/config'
import { checkModelsFile, createModelList } from '@ars/core/models'
import { createValidator } from '@ars/core/schemas'
import { checkKeks } from '@ars/core/secrets'
import { describe, type Finding, skipped } from './finding.ts'

/** Gateways need the list of models; workers also need the keys of the providers. */
export const checkModels = (config: Config, environment: NodeJS.ProcessEnv, role: 'gateway' | 'worker'): Finding[] => {
  const what = 'models file'
  const outside = outsideOf({ config, environment })
  try {
    const { models, providers } = checkModelsFile(config.modelsFile, outside, { isKeyed: role === 'worker' })
    if (providers.length === 0)
      return [{ what, found: `no provider is enabled: only simulated models exist. ${howTo}` }]
    return [{ what, found: `${models} models of ${providers.length} providers: ${providers.join(', ')}` }]
  } catch (error) {
    return [{ what, found: describe(error), advice: 'Correct ARS_MODELS_FILE. No process starts with it.' }]
  }
}

const howTo = 'Set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, ARS_LOCAL_MODEL_URL or ARS_MODELS_FILE'

export const checkCatalogFolder = (config: Config, environment: NodeJS.ProcessEnv): Finding[] => {
  const { catalogFolder, modelsFile } = config
  const what = 'catalog folder'
  if (catalogFolder === undefined) return [{ what, found: 'not set: only the built-in catalog is offered' }]
  try {
    const models = createModelList({ modelsFile, outside: outsideOf({ config, environment }) })
    const reports = readCatalogFolder(catalogFolder, { validator: createValidator(), models })
    const [first] = reports.flatMap(({ file, faults }) => faults.map((fault) => faultText(file, fault)))
    if (first === undefined) return [{ what, found: `${reports.length} files` }]
    const advice = 'Correct ARS_CATALOG_FOLDER or its files. `ars-server catalog check` lists all faults.'
    return [{ what, found: first, advice }]
  } catch (error) {
    return [{ what, found: describe(error), advice: 'Correct ARS_CATALOG_FOLDER. No gateway starts with it.' }]
  }
}

/** The file, and whether its numbers are those of the organisations. */
export const checkPlans = async (parts: GatewayParts, worker: Parts | undefined): Promise<Finding> => {
  const what = 'plans file'
  const { plansFile } = parts.config
  const source = plansFile === undefined ? 'not set: the plans have the numbers of the documentation' : plansFile
  try {
    const plans = readPlansFile(plansFile)
    if (!worker) return { what, found: source }
    const { countOutdated, close } = createAccess({ ...worker, pubSub: undefined, operator: worker.system, plans })
    const counted = await countOutdated().catch(() => null)
    await close()
    if (counted === null) return skipped(what, 'not checked: the organisations cannot be read')
    if (counted.changed === 0) return { what, found: source }
    return {
      what,
      found: `${counted.changed} of ${counted.organisations} organisations have other numbers than their plan`,
      advice: 'Run `ars-server admin plans --apply`, which gives them the numbers of the plans.',
    }
  } catch (error) {
    return { what, found: describe(error), advice: 'Correct ARS_PLANS_FILE. Admin commands refuse it.' }
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
