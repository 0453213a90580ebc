export const WebhookMissedPage = () => null
