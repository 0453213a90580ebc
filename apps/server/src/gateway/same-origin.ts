/** The headers by which a browser tells which page makes a request. No page can set them. */
type PageHeaders = {
  origin?: string | undefined
  'sec-fetch-site'?: string | string[] | undefined
  'content-type'?: string | undefined
}

/** Which page asks: one of ours, one of somebody else's, or it cannot be told. */
export const readPage = (headers: PageHeaders, ownOrigin: string): 'own' | 'foreign' | 'unknown' => {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' ? 'own' : 'foreign'
  if (headers.origin !== undefined) return headers.origin === ownOrigin ? 'own' : 'foreign'
  return 'unknown'
}

/** A form of a foreign page can send a body too, but not one of this type. */
export const hasJsonType = (headers: PageHeaders): boolean =>
  /^application\/json[ \t]*(;|$)/i.test(headers['content-type'] ?? '')
