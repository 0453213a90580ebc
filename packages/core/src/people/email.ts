/** An address as it is kept and compared: what a person types in any of these forms is the same account. */
export const normaliseEmail = (email: string): string => email.trim().normalize('NFC').toLowerCase().normalize('NFC')
