export const CatalogListPage = () => null
