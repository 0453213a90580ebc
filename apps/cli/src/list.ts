import type { Page } from '@agent-run-service/sdk'
import { type Command, InvalidArgumentError } from 'commander'
import type { Terminal } from './terminal.ts'

/** The options that every list has. */
export type PageOptions = { limit?: number; after?: string }

export const withPaging = (command: Command): Command =>
  command
    .option('--limit <n>', 'how many at the most, 1 to 100 (default 20)', wholeNumber)
    .option('--after <id>', 'the page that follows this id')

export const pageOf = ({ limit, after }: PageOptions): PageOptions => ({
  ...(limit === undefined ? {} : { limit }),
  ...(after === undefined ? {} : { after }),
})

/** One page: a JSON document as the API answers it, or a table that ends in how to see the rest. */
export const tellPage = <Item>(
  terminal: Terminal,
  page: Page<Item>,
  view: { columns: Readonly<Record<string, (item: Item) => string>>; nothing: string },
): void => {
  const { data, hasMore, firstId, lastId } = page
  terminal.list({
    value: { object: 'list', data, has_more: hasMore, first_id: firstId, last_id: lastId },
    heads: Object.keys(view.columns),
    rows: data.map((item) => Object.values(view.columns).map((cell) => cell(item))),
    nothing: view.nothing,
  })
  if (hasMore && !terminal.isJson) terminal.note(`There are more: --after ${lastId}`)
}

export const wholeNumber = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

export const commaList = (text: string): string[] => {
  const items = text.split(',').map((item) => item.trim())
  if (items.includes('')) throw new InvalidArgumentError('It must be one or several, with commas between.')
  return items
}
