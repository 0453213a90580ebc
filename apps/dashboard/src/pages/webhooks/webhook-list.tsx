export const WebhookListPage = () => null
