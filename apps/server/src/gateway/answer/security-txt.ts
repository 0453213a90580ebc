/** Days until a copy of the page counts as stale. RFC 9116 asks for less than a year. */
const validDays = 180
const dayMs = 86_400_000

/**
 * The page of RFC 9116 that tells a finder of a vulnerability where to report it. It names its expiry in whole days, so
 * that all gateways of an installation answer the same page.
 */
export const securityTxt = ({
  contacts,
  policyUrl,
  publicUrl,
  now,
}: {
  contacts: readonly string[]
  policyUrl: string | undefined
  publicUrl: string
  now: Date
}): string => {
  const expires = new Date(Math.floor(now.getTime() / dayMs) * dayMs + validDays * dayMs)
  return [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${new URL('/.well-known/security.txt', publicUrl).href}`,
    ...(policyUrl === undefined ? [] : [`Policy: ${policyUrl}`]),
    '',
  ].join('\n')
}
