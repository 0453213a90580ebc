export const WebhookSettingsPage = () => null
