export const ConnectorNewPage = () => null
