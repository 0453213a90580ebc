/** On Redis: whoever has made something due to be sent says so here, and the senders look at once. */
export const deliveryChannel = 'webhooks'
