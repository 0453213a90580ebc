export const AgentVersionsPage = () => null
