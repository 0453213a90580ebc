import { Resolver as DnsResolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type Clock, systemClock } from '../clock.ts'
import type { AddressCheck } from './address.ts'
import { EgressFailed, EgressRefused } from './failure.ts'

/** All addresses of a name, as texts. It throws where it does not know. */
export type Resolver = (hostname: string) => Promise<readonly string[]>

// A hostile name may have thousands of addresses. All are judged; a connection tries the first few.
const addressesTried = 8

/**
 * Looks a name up once and judges every address. One bad address refuses the name as a whole: an honest host has no
 * private address beside a public one, a rebinding one has. The addresses that come back are the only ones to connect to.
 */
export const createAddressLookup = (resolver: Resolver, checkAddress: AddressCheck, timeoutMs: number) => {
  return async (hostname: string): Promise<readonly string[]> => {
    const found = isIP(hostname) === 0 ? await inTime(resolver, hostname, timeoutMs) : [hostname]
    if (found.length === 0) throw new EgressFailed(`The name ${hostname} has no address`, { kind: 'dns' })
    return found
      .map((text) => {
        const verdict = checkAddress(text)
        if (verdict.ok) return verdict.address
        // Names may resolve to inner addresses only for us, so the address itself is not told.
        throw new EgressRefused(
          `${hostname} leads to ${verdict.what}. Only hosts of the public Internet may be called.`,
          text,
        )
      })
      .slice(0, addressesTried)
  }
}

const inTime = async (resolver: Resolver, hostname: string, timeoutMs: number): Promise<readonly string[]> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new EgressFailed(`The name ${hostname} could not be looked up in ${timeoutMs} ms`, { kind: 'dns' })),
      timeoutMs,
    )
  })
  try {
    return await Promise.race([resolver(hostname), late])
  } catch (error) {
    if (error instanceof EgressFailed) throw error
    throw new EgressFailed(`The name ${hostname} could not be looked up`, { kind: 'dns', cause: error })
  } finally {
    clearTimeout(timer)
  }
}

export type DnsOptions = {
  readonly servers?: readonly string[]
  readonly queryTimeoutMs: number
  readonly clock?: Clock
}

// The servers of the system are read anew now and then, because they change while a process lives.
const renewAfterMs = 30_000

/**
 * Asks DNS for A and AAAA over its own sockets. Not `dns.lookup`: that waits in a thread for each name, of which there are
 * two for the whole process, so that a customer's slow name server would hold up everybody's, and our database's too.
 */
export const createDnsResolver = ({ servers, queryTimeoutMs, clock = systemClock }: DnsOptions): Resolver => {
  const open = (): DnsResolver => {
    const opened = new DnsResolver({ timeout: queryTimeoutMs, tries: 2 })
    if (servers) opened.setServers(servers)
    return opened
  }
  let dns = open()
  let openedAtMs = clock.monotonicMs()

  return async (hostname) => {
    if (clock.monotonicMs() - openedAtMs > renewAfterMs) {
      dns = open()
      openedAtMs = clock.monotonicMs()
    }
    const answers = await Promise.all([orNone(dns.resolve4(hostname)), orNone(dns.resolve6(hostname))])
    return answers.flat()
  }
}

// That a name has none of one kind is an answer. Anything else is not, even if the other kind was found.
const orNone = (query: Promise<string[]>): Promise<string[]> =>
  query.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENODATA' || error.code === 'ENOTFOUND') return []
    throw error
  })
