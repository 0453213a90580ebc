export const AuditLogPage = () => null
