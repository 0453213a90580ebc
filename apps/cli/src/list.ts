import type { Page } from '@agent-run-service/sdk'
import { type Command, InvalidArgumentError } from 'commander'
import type { Terminal } from './terminal.ts'

/** The options of every list. */
export type PageOptions = { limit?: number; after?: string; all?: boolean }

export const withPaging = (command: Command): Command =>
  command
    .option('--limit <n>', 'maximum number of items, 1 to 100 (default 20)', wholeNumber)
    .option('--after <id>', 'show the page after this id')
    .option('--all', 'show all pages')

export const pageOf = ({ limit, after }: PageOptions): Omit<PageOptions, 'all'> => ({
  ...(limit === undefined ? {} : { limit }),
  ...(after === undefined ? {} : { after }),
})

/** Prints one page, or all: the JSON of the API, or a table that ends with the command for the next page. */
export const tellPage = async <Item>(terminal: Terminal, first: Page<Item>, view: View<Item>): Promise<void> => {
  const { data, hasMore, firstId, lastId } = view.all ? await joined(first) : first
  terminal.list({
    value: { object: 'list', data, has_more: hasMore, first_id: firstId, last_id: lastId },
    heads: Object.keys(view.columns),
    rows: data.map((item) => Object.values(view.columns).map((cell) => cell(item))),
    nothing: view.nothing,
  })
  if (hasMore && !terminal.isJson) terminal.note(`More items: --after ${lastId}`)
}

type View<Item> = {
  columns: Readonly<Record<string, (item: Item) => string>>
  nothing: string
  all?: boolean | undefined
}

const joined = async <Item>(first: Page<Item>) => {
  const data: Item[] = []
  let last = first
  for (let page: Page<Item> | null = first; page; page = await page.nextPage()) {
    data.push(...page.data)
    last = page
  }
  return { data, hasMore: false, firstId: first.firstId, lastId: last.lastId ?? first.lastId }
}

export const wholeNumber = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Must be an integer.')
  return Number(text)
}

export const commaList = (text: string): string[] => {
  const items = text.split(',').map((item) => item.trim())
  if (items.includes('')) throw new InvalidArgumentError('Must be one or more values, separated by commas.')
  return items
}
