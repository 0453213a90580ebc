const deviceCookie = '__Host-ars_device'

/** How long a browser is known after its last login. */
export const deviceDays = 180
/** Browsers of one account; a new one replaces the one that was used least recently. */
export const devicesPerUser = 10

/**
 * Marks a browser in which the password of an account was correct once. It is no credential: it only gives the browser attempts
 * that strangers cannot use up.
 */
export const deviceCookieFor = (token: string): string =>
  `${deviceCookie}=${token}; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=${deviceDays * 86_400}`
