export const SessionsPage = () => null
