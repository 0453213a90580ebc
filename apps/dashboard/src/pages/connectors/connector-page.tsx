export const ConnectorPage = () => null
