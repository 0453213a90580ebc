export const AgentNewPage = () => null
