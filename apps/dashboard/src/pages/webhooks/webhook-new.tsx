export const WebhookNewPage = () => null
