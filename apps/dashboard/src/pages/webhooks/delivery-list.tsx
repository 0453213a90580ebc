export const DeliveryListPage = () => null
