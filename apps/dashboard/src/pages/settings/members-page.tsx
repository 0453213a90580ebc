export const MembersPage = () => null
