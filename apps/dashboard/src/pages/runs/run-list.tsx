export const RunListPage = () => null
