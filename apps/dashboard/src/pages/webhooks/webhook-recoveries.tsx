export const WebhookRecoveriesPage = () => null
