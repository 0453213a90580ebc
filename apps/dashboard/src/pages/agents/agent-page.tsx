export const AgentPage = () => null
