export const OrganisationPage = () => null
