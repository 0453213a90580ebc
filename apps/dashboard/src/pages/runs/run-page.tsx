export const RunPage = () => null
