export const CatalogPage = () => null
