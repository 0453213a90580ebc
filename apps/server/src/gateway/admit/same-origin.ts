/** Headers in which a browser names the page that sends a request. Pages cannot set them. */
type PageHeaders = {
  origin?: string | undefined
  'sec-fetch-site'?: string | string[] | undefined
  'content-type'?: string | undefined
}

export type Origins = {
  /** The origin of this service. */
  own: string
  /** Other origins of the operator whose pages may use sessions. They are compared exactly. */
  listed: ReadonlySet<string>
}

/** Whether the request comes from a page of the operator, from another one, or from an unknown source. */
export const readPage = (headers: PageHeaders, origins: Origins): 'own' | 'foreign' | 'unknown' => {
  const site = headers['sec-fetch-site']
  if (site === 'same-origin') return 'own'
  // A browser sends a session only within its site, so a listed origin of another site is not accepted either.
  if (site !== undefined) return site === 'same-site' && listedOrigin(headers, origins) !== null ? 'own' : 'foreign'
  if (headers.origin === undefined) return 'unknown'
  return headers.origin === origins.own || listedOrigin(headers, origins) !== null ? 'own' : 'foreign'
}

/** The origin of the page if it is listed, otherwise null. */
export const listedOrigin = ({ origin }: PageHeaders, { listed }: Origins): string | null =>
  origin !== undefined && listed.has(origin) ? origin : null

/** A form of another site can send a body, but not with this type. */
export const hasJsonType = (headers: PageHeaders): boolean =>
  /^application\/(merge-patch\+)?json[ \t]*(;|$)/i.test(headers['content-type'] ?? '')
