const attribute = String.raw`\s+[^\s=>"'/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?`
const tagPattern = new RegExp(`<([a-zA-Z][^\\s/>]*)((?:${attribute})*)\\s*/?>`, 'g')

/** Replaces the opening tags of a page, and nothing that only looks like one inside an attribute. */
export const replaceTags = (html: string, replace: (tag: string, name: string) => string): string =>
  html.replaceAll(tagPattern, (tag, name: string) => replace(tag, name.toLowerCase()))

/** The value of an attribute of an opening tag. */
export const attributeOf = (tag: string, name: string): string | undefined => {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? []
  return value?.replaceAll('&#38;', '&').replaceAll('&amp;', '&').replaceAll('&quot;', '"')
}
