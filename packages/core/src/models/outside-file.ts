import { free } from './cost.ts'
import type { ModelEntry, ModelsFile, ProviderEntry } from './models-file.ts'

/** What enables providers beside `models.yaml`. */
export type OutsideFile = {
  environment: Readonly<Record<string, string | undefined>>
  /** The variables of `vendors` enable their providers. */
  vendorKeys: boolean
  /** The address of the provider `local`. */
  localUrl: string | undefined
}

/** The vendors that are known by name: a key is all that is missing. */
export const vendors = {
  openai: { kind: 'openai', variable: 'OPENAI_API_KEY', address: 'https://api.openai.com/v1' },
  anthropic: { kind: 'anthropic', variable: 'ANTHROPIC_API_KEY', address: 'https://api.anthropic.com/v1' },
  google: {
    kind: 'google',
    variable: 'GEMINI_API_KEY',
    address: 'https://generativelanguage.googleapis.com/v1beta',
  },
} as const

export type Vendor = keyof typeof vendors

export const isVendor = (provider: string): provider is Vendor => Object.hasOwn(vendors, provider)

/** Where a provider is called. Without an address, the vendor's library would take one from the environment. */
export const addressOf = ({ kind, baseUrl }: Pick<ProviderEntry, 'kind' | 'baseUrl'>): string =>
  baseUrl ?? (kind === 'openai-compatible' ? '' : vendors[kind].address)

/** A vendor at its public address. */
export const vendorEntry = (name: Vendor): ProviderEntry => {
  const { kind, variable } = vendors[name]
  return {
    name,
    kind,
    baseUrl: undefined,
    key: { from: 'environment', variable },
    location: `the environment variable ${variable}`,
  }
}

/** All models of a vendor. The service knows no prices: they change. */
export const vendorModels = (name: Vendor): ModelEntry => ({
  pattern: `${name}/*`,
  provider: name,
  providerModel: undefined,
  price: null,
})

/** The file with the providers that the environment enables. A provider that the file names is the file's. */
export const withOutside = (file: ModelsFile, { environment, vendorKeys, localUrl }: OutsideFile): ModelsFile => {
  const providers = new Map(file.providers)
  const models = [...file.models]
  for (const name of vendorKeys ? (Object.keys(vendors) as Vendor[]) : []) {
    if (providers.has(name) || !environment[vendors[name].variable]?.trim()) continue
    providers.set(name, vendorEntry(name))
    models.push(vendorModels(name))
  }
  if (localUrl === undefined) return { providers, models }
  const local = providers.get('local')
  providers.set('local', {
    ...(local ?? { name: 'local', kind: 'openai-compatible', key: undefined, location: 'ARS_LOCAL_MODEL_URL' }),
    baseUrl: localUrl.replace(/\/+$/, ''),
  })
  if (!models.some(({ provider }) => provider === 'local'))
    models.push({ pattern: 'local/*', provider: 'local', providerModel: undefined, price: free })
  return { providers, models }
}

/** Where the key or the address of each provider comes from, for a log line and `doctor`. Never the key. */
export const originsOf = ({ providers }: ModelsFile): string[] =>
  [...providers.values()].map(({ name, key, baseUrl }) => {
    if (key?.from === 'environment') return `${name} (${key.variable})`
    return key?.from === 'file' ? `${name} (key file)` : `${name} (${baseUrl ?? 'no key'})`
  })
