/** The credential of a request. `none`: no credential was sent. `malformed`: one was sent that cannot be read. */
export type Credential =
  | { readonly kind: 'bearer'; readonly text: string }
  | { readonly kind: 'cookie'; readonly text: string }
  | { readonly kind: 'none' | 'malformed' }

const sessionCookie = '__Host-ars_session'

/** An `Authorization` header takes precedence, even if it is malformed; the cookie counts only without one. */
export const readCredential = (request: {
  headers: { authorization?: string | undefined; cookie?: string | undefined }
  rawHeaders: readonly string[]
}): Credential => {
  const { authorization, cookie } = request.headers
  if (authorization !== undefined) {
    const text = readBearer(authorization)
    return text === undefined || isSentTwice(request.rawHeaders) ? malformed : { kind: 'bearer', text }
  }
  if (cookie?.includes(sessionPrefix) !== true) return none
  const text = readCookie(cookie, sessionPrefix)
  return text === undefined ? malformed : { kind: 'cookie', text }
}

/** The cookie that marks a browser which has logged in before. It is no credential. */
export const readDevice = (cookie: string | undefined): string | undefined =>
  cookie === undefined ? undefined : readCookie(cookie, devicePrefix)

export const readBearer = (authorization: string): string | undefined =>
  /^Bearer ([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1]

const none: Credential = { kind: 'none' }
const malformed: Credential = { kind: 'malformed' }

// Node keeps the first of two headers. A proxy may have checked the other one.
const isSentTwice = (rawHeaders: readonly string[]): boolean => {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === authorizationChars && name.toLowerCase() === 'authorization') count++
  }
  return count > 1
}

const authorizationChars = 'authorization'.length

/** Requires exactly one cookie of this name: a second one may have been planted by another site. */
const readCookie = (header: string, prefix: string): string | undefined => {
  let found: string | undefined
  for (const pair of header.split(';')) {
    const cookie = pair.trim()
    if (!cookie.startsWith(prefix)) continue
    if (found !== undefined) return undefined
    found = cookie.slice(prefix.length)
  }
  return found !== undefined && /^[\x21-\x7e]{1,200}$/.test(found) ? found : undefined
}

const sessionPrefix = `${sessionCookie}=`
const devicePrefix = '__Host-ars_device='
