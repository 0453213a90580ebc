export const RunComparePage = () => null
