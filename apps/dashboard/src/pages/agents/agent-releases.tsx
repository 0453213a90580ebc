export const AgentReleasesPage = () => null
