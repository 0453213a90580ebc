/** The address of a link in untrusted text; null unless it leads to http or https. */
export const safeUrl = (href: string): string | null => {
  if (!/^https?:\/\//i.test(href)) return null
  return URL.canParse(href) ? new URL(href).href : null
}
