export const EventListPage = () => null
