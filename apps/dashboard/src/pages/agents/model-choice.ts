import type { Model } from '@agent-run-service/sdk'

/** The entry of the list that a model belongs to: itself, or the pattern with the longest match. */
export const entryOf = (models: readonly Model[], id: string): Model | undefined =>
  models.find((model) => model.id === id && !model.is_pattern) ??
  models
    .filter((model) => model.is_pattern && id.startsWith(model.id.slice(0, -1)) && id !== '')
    .toSorted((a, b) => b.id.length - a.id.length)[0]

export const providersOf = (models: readonly Model[]): readonly (readonly [string, readonly Model[]])[] => {
  const providers = [...new Set(models.map(({ provider }) => provider))].sort()
  return providers.map((provider) => [provider, models.filter((model) => model.provider === provider)])
}

export const priceWords = ({ price }: Pick<Model, 'price'>): string =>
  price === null
    ? 'No price is configured: runs have no cost, and a budget cannot be set.'
    : `$${price.input_usd_per_million} in, $${price.output_usd_per_million} out for a million tokens`
