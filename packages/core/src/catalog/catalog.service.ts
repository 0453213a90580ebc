import { ConfigError } from '@ars/platform/config'
import type { Log } from '@ars/platform/log/log'
import { Fault } from '../fault.ts'
import type { ModelList } from '../models/index.ts'
import { pageSize } from '../page.ts'
import type { Validator } from '../schemas/index.ts'
import { type CatalogEntry, mentions, toOffer } from './catalog.ts'
import { catalogLimits, faultText, readCatalogFolder } from './catalog-folder.service.ts'

export type CatalogService = {
  /** By key, alphabetically: up to one entry beyond the page, and with `before` the nearest first. */
  list(page: CatalogPage): CatalogEntry[]
  find(key: string): CatalogEntry | null
  get(key: string): CatalogEntry
}

export type CatalogPage = {
  limit?: number | undefined
  after?: string | undefined
  before?: string | undefined
  q?: string | undefined
}

type Deps = {
  /** The built-in folder first, then the operator's. Of two agents with one key the later folder's wins. */
  folders: readonly string[]
  models: ModelList
  validator: Validator
  /** The model that hired agents get instead of `simulated/script`. */
  catalogModel?: string | undefined
  log: Log
}

/** Reads the files once. A broken file stops the start, and every fault is reported with file, path and line. */
export const createCatalog = ({ folders, models, validator, catalogModel, log }: Deps): CatalogService => {
  if (folders.length > catalogLimits.foldersMax) throw new ConfigError('There are too many catalog folders')
  const faults: string[] = []
  if (catalogModel !== undefined && !models.find(catalogModel)) {
    faults.push(`ARS_CATALOG_MODEL: ${catalogModel} is not in the models file`)
  }
  const byKey = new Map<string, CatalogEntry>()
  for (const folder of folders) {
    for (const { file, entry, faults: found } of readCatalogFolder(folder, { models, validator })) {
      faults.push(...found.map((fault) => faultText(file, fault)))
      if (!entry) continue
      if (byKey.has(entry.key)) log.info('catalog agent replaced', { catalog_key: entry.key, file })
      byKey.set(entry.key, toOffer(entry, catalogModel))
    }
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  const entries = [...byKey.values()].sort((one, other) => (one.key < other.key ? -1 : 1))

  return {
    find: (key) => byKey.get(key) ?? null,
    get: (key) => {
      const entry = byKey.get(key)
      if (!entry) throw new Fault('not_found', `No catalog agent ${key.slice(0, 100)}`)
      return entry
    },
    list: ({ limit, after, before, q }) => {
      const wanted = entries.filter(
        (entry) =>
          (after === undefined || entry.key > after) &&
          (before === undefined || entry.key < before) &&
          (q === undefined || mentions(entry, q)),
      )
      return (before === undefined ? wanted : wanted.toReversed()).slice(0, pageSize({ limit }) + 1)
    },
  }
}
