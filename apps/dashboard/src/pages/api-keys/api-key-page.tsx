export const ApiKeyPage = () => null
