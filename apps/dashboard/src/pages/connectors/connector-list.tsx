export const ConnectorListPage = () => null
