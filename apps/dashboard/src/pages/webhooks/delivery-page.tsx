export const DeliveryPage = () => null
