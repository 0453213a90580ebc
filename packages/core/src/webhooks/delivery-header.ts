/** Marks our own deliveries: whoever receives it can name the delivery, and we know our own voice, should it come back to us. */
export const deliveryHeader = 'x-service-delivery'
