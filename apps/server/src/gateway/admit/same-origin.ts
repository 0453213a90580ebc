/** Headers in which a browser names the page that sends a request. Pages cannot set them. */
type PageHeaders = {
  origin?: string | undefined
  'sec-fetch-site'?: string | string[] | undefined
  'content-type'?: string | undefined
}

/** Whether the request comes from a page of this service, from another site, or from an unknown source. */
export const readPage = (headers: PageHeaders, ownOrigin: string): 'own' | 'foreign' | 'unknown' => {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' ? 'own' : 'foreign'
  if (headers.origin !== undefined) return headers.origin === ownOrigin ? 'own' : 'foreign'
  return 'unknown'
}

/** A form of another site can send a body, but not with this type. */
export const hasJsonType = (headers: PageHeaders): boolean =>
  /^application\/(merge-patch\+)?json[ \t]*(;|$)/i.test(headers['content-type'] ?? '')
