export const ApprovalsPage = () => null
