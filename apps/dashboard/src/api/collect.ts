/** The first items of a list over its pages, at most `max`. For lists that a page needs whole, such as names. */
export const collect = async <Item>(list: AsyncIterable<Item>, max: number): Promise<readonly Item[]> => {
  const items: Item[] = []
  for await (const item of list) {
    items.push(item)
    if (items.length >= max) break
  }
  return items
}
