export const AgentEditPage = () => null
