export const PasswordResetPage = () => null
