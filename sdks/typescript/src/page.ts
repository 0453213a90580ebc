import { type Answered, type ApiCall, apiCall } from './api-call.ts'
import type { Params } from './query.ts'

/** One page of a list. Iterating over it continues through all following pages. */
export class Page<Item> implements AsyncIterable<Item> {
  /** The response as the service sent it. */
  readonly body: ListBody<Item>
  /** The items of this page. */
  readonly data: readonly Item[]
  readonly hasMore: boolean
  readonly firstId: string | null
  readonly lastId: string | null
  readonly #fetchNext: () => Promise<Page<Item>>

  constructor(body: ListBody<Item>, fetchNext: () => Promise<Page<Item>>) {
    this.body = body
    this.data = body.data
    this.hasMore = body.has_more
    this.firstId = body.first_id
    this.lastId = body.last_id
    this.#fetchNext = fetchNext
  }

  /** Null on the last page. */
  nextPage(): Promise<Page<Item> | null> {
    return this.hasMore ? this.#fetchNext() : Promise.resolve(null)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    let page: Page<Item> | null = this
    while (page) {
      yield* page.data
      page = await page.nextPage()
    }
  }
}

/** Await it for the first page, or iterate over it for every item. */
export type ListCall<Item> = ApiCall<Page<Item>> & AsyncIterable<Item>

/** A page on the wire. */
export type ListBody<Item> = {
  data: readonly Item[]
  has_more: boolean
  first_id: string | null
  last_id: string | null
}

/** Pages continue in the direction of the first request. */
export const listPages = <Item>(
  params: Params,
  fetch: (params: Params) => Promise<Answered<ListBody<Item>>>,
): ListCall<Item> => {
  const isBackwards = params.before !== undefined && params.after === undefined
  const fetchPage = async (wanted: Params): Promise<Answered<Page<Item>>> => {
    const { data: body, response } = await fetch(wanted)
    const cursor = isBackwards ? { before: body.first_id } : { after: body.last_id }
    const next = async (): Promise<Page<Item>> => (await fetchPage({ ...wanted, ...cursor })).data
    return { data: new Page(body, next), response }
  }
  const first = apiCall(fetchPage(params))
  return Object.assign(first, {
    async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
      yield* await first
    },
  })
}
