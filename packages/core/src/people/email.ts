/** An e-mail address in the form that is stored and compared: all spellings of one address are the same account. */
export const normaliseEmail = (email: string): string => email.trim().normalize('NFC').toLowerCase().normalize('NFC')
