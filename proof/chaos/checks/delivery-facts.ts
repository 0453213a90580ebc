import type { DeliveryRecords } from '../delivery-records.ts'
import type { AnsweredLine, ReceivedLine, ReceiverLine } from '../receiver-journal.ts'

/** What the database says, and what the customers' receivers wrote down. */
export type DeliveryFacts = {
  records: DeliveryRecords
  journal: readonly ReceiverLine[]
}

/** A POST that came, and what became of it. */
export type Post = ReceivedLine & { answer: AnsweredLine | undefined }

export const postsOf = ({ journal }: Pick<DeliveryFacts, 'journal'>): Post[] => {
  const answers = new Map(journal.filter((line) => line.kind === 'answered').map((line) => [line.request, line]))
  return journal
    .filter((line) => line.kind === 'received')
    .map((line) => ({ ...line, answer: answers.get(line.request) }))
}

/** Null: there was no answer. */
export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300

export const isAcknowledged = ({ answer }: Pick<Post, 'answer'>): boolean => isSuccess(answer?.status ?? null)

/** One event at one endpoint. */
export const pairOf = ({ url, event_id }: Pick<Post, 'url' | 'event_id'>): string => `${url} ${event_id}`
