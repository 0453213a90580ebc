export { catalogApi } from './catalog.api.ts'
export { type CatalogService, createCatalog } from './catalog.service.ts'
export { type CatalogEntry, hiredConfig } from './catalog.ts'
export {
  builtInCatalogFolder,
  type FileReport,
  faultText,
  readCatalogFolder,
} from './catalog-folder.service.ts'
