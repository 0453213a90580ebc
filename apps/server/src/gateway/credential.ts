/** What a request shows to say who asks. `none`: nothing, or nothing that can be understood in one way only. */
export type Credential =
  | { readonly kind: 'bearer'; readonly text: string }
  | { readonly kind: 'cookie'; readonly text: string }
  | { readonly kind: 'none' }

const sessionCookie = '__Host-ars_session'

/** A header `Authorization` decides alone, whatever it says; the cookie counts only where there is none. */
export const readCredential = (request: {
  headers: { authorization?: string | undefined; cookie?: string | undefined }
  rawHeaders: readonly string[]
}): Credential => {
  const { authorization, cookie } = request.headers
  if (authorization !== undefined) {
    const text = readBearer(authorization)
    return text === undefined || isSentTwice(request.rawHeaders) ? none : { kind: 'bearer', text }
  }
  const text = cookie === undefined ? undefined : readSession(cookie)
  return text === undefined ? none : { kind: 'cookie', text }
}

export const readBearer = (authorization: string): string | undefined =>
  /^Bearer ([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1]

const none: Credential = { kind: 'none' }

// Node keeps the first of two. Which of them somebody before us has looked at cannot be known.
const isSentTwice = (rawHeaders: readonly string[]): boolean => {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === authorizationChars && name.toLowerCase() === 'authorization') count++
  }
  return count > 1
}

const authorizationChars = 'authorization'.length

/** One cookie of the name: a second one would have been planted by somebody. */
const readSession = (header: string): string | undefined => {
  let found: string | undefined
  for (const pair of header.split(';')) {
    const cookie = pair.trim()
    if (!cookie.startsWith(sessionPrefix)) continue
    if (found !== undefined) return undefined
    found = cookie.slice(sessionPrefix.length)
  }
  return found !== undefined && /^[\x21-\x7e]{1,200}$/.test(found) ? found : undefined
}

const sessionPrefix = `${sessionCookie}=`
