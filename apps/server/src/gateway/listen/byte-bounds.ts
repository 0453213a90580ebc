import { createSharedByteBudget, type ReservedShare, type Room } from '@ars/platform/byte-budget'
import { networkOf } from '@ars/platform/network'
import type { FastifyRequest } from 'fastify'
import type { Refusal } from '../admit/admission.ts'

/** Bytes in memory for one purpose: request bodies, or responses that their clients have not taken yet. */
export type ByteBounds = {
  /** Takes bytes for the organisation of a request; before authentication, for its address. */
  take(request: FastifyRequest, bytes: number, options?: { factor?: number }): ReservedShare | Refusal
  /** Takes bytes that cannot be refused any more, such as those of a refusal. */
  takeAlways(request: FastifyRequest, bytes: number): ReservedShare
  resize(held: ReservedShare, bytes: number): Refusal | null
  /** Whether the caller may take any more. */
  look(request: FastifyRequest): Refusal | null
  heldBytes(): number
}

/** One organisation gets this part of each budget, so that it cannot use up that of the others. */
const shareDivisor = 4

export const createByteBounds = ({
  what,
  maxBytes,
  isOneAtATime = false,
  onRefused,
}: {
  /** In the words of the message. */
  what: string
  maxBytes: number
  /** An organisation holds one thing at a time, of any size. */
  isOneAtATime?: boolean
  onRefused(reason: 'organisation' | 'all'): void
}): ByteBounds => {
  const maxShareBytes = isOneAtATime ? 0 : Math.ceil(maxBytes / shareDivisor)
  const share = isOneAtATime ? `one of the ${what} at a time` : `${maxShareBytes} bytes of ${what}`
  const budget = createSharedByteBudget({ maxBytes, maxShareBytes })

  const refusalOf = (room: Exclude<Room, 'free'>): Refusal => {
    const isShare = room === 'share_exhausted'
    onRefused(isShare ? 'organisation' : 'all')
    return isShare
      ? {
          code: 'rate_limited',
          message: `This organisation has reached the limit of ${share}. Retry when some have ended.`,
          retryAfterSeconds: 1,
        }
      : {
          code: 'unavailable',
          reason: 'shed',
          message: `The service has too many bytes of ${what}.`,
          retryAfterSeconds: 1,
        }
  }

  return {
    take: (request, bytes, { factor = 1 } = {}) => {
      const taken = budget.take(holderOf(request), bytes, factor)
      return taken.room === 'free' ? taken.held : refusalOf(taken.room)
    },
    takeAlways: (request, bytes) => {
      const taken = budget.take(holderOf(request), bytes, Number.POSITIVE_INFINITY)
      if (taken.room !== 'free') throw new Error('an unlimited budget refused')
      return taken.held
    },
    resize: (held, bytes) => {
      const room = held.resize(bytes)
      return room === 'free' ? null : refusalOf(room)
    },
    look: (request) => {
      const room = budget.look(holderOf(request))
      return room === 'free' ? null : refusalOf(room)
    },
    heldBytes: budget.heldBytes,
  }
}

const holderOf = ({ caller, address }: FastifyRequest): string => caller?.org || `address ${networkOf(address ?? '')}`
