export const AgentListPage = () => null
