export const ApiKeyListPage = () => null
