/** One line of what an endpoint received, or of what became of it. Dates are of the wall clock, `_ms` of the monotonic one. */
export type ReceiverLine = ReceivedLine | AnsweredLine

export type ReceivedLine = {
  kind: 'received'
  request: number
  at: number
  at_ms: number
  /** Its address: that of the webhook. */
  url: string
  /** `evt_…`, from the header. */
  event_id: string
  /** From the body: what it is about, and whose. */
  type: string
  subject: string
  /** Seconds, from the header: when this attempt was made. */
  timestamp: number
  sha256: string
  bytes: number
  /** The places, in the list of secrets that the endpoint knows, of those that made the signatures. Empty: it is not true. */
  plain_by: number[]
  standard_by: number[]
  /** Signatures in the standard header. */
  signatures: number
  plan: string
}

export type AnsweredLine = {
  kind: 'answered'
  request: number
  at_ms: number
  /** Of an answer that went out whole; 0: there was none. */
  status: number
}
