import { Resolver as DnsResolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { platformBounds } from '../bounds.ts'
import { type Clock, systemClock } from '../clock.ts'
import type { AddressCheck } from './address.ts'
import { EgressFailed, EgressRefused } from './failure.ts'

/** All addresses of a name, as strings. Throws if the look-up fails. */
export type Resolver = (hostname: string) => Promise<readonly string[]>

// A hostile name may have thousands of addresses. All are checked; a connection tries the first few.
const addressesTried = 8

/**
 * Looks a name up once and checks every address. One forbidden address rejects the name: an honest host has no private
 * address beside a public one, a rebinding host has. Only the returned addresses may be connected to.
 */
export const createAddressLookup = (resolver: Resolver, checkAddress: AddressCheck, timeoutMs: number) => {
  return async (hostname: string): Promise<readonly string[]> => {
    const found = isIP(hostname) === 0 ? await inTime(resolver, hostname, timeoutMs) : [hostname]
    if (found.length === 0) throw notPublic(hostname, 'no address')
    return found
      .map((text) => {
        const verdict = checkAddress(text)
        if (verdict.ok) return verdict.address
        throw notPublic(hostname, `${text}: ${verdict.what}`)
      })
      .slice(0, addressesTried)
  }
}

// One message for names without an address and for names with an internal one: nobody learns from it which names exist
// in the operator's network. `detail` has the difference.
const notPublic = (hostname: string, detail: string): EgressRefused =>
  new EgressRefused(`The name ${hostname} has no address in the public Internet.`, detail)

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

// The system's name servers are read again from time to time, because they can change.
const renewAfterMs = 30_000

/**
 * Queries DNS for A and AAAA over separate sockets. `dns.lookup` blocks one of two threads of the process per name, so
 * a slow name server of one customer would delay all others and the database.
 */
export const createDnsResolver = ({ servers, queryTimeoutMs, clock = systemClock }: DnsOptions): Resolver => {
  const open = (): DnsResolver => {
    const opened = new DnsResolver({ timeout: queryTimeoutMs, tries: platformBounds.egressLookup.count })
    if (servers) opened.setServers(servers)
    return opened
  }
  let dns = open()
  let openedAtMs = clock.monotonicMs()

  return async (hostname) => {
    // RFC 6761: this name is never sent to a name server. The loopback address is checked like any other.
    if (hostname === 'localhost' || hostname.endsWith('.localhost')) return ['127.0.0.1']
    if (clock.monotonicMs() - openedAtMs > renewAfterMs) {
      dns = open()
      openedAtMs = clock.monotonicMs()
    }
    const answers = await Promise.all([orNone(dns.resolve4(hostname)), orNone(dns.resolve6(hostname))])
    return answers.flat()
  }
}

// A missing record type is a valid answer. Any other error fails the look-up, even if the other type was found.
const orNone = (query: Promise<string[]>): Promise<string[]> =>
  query.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENODATA' || error.code === 'ENOTFOUND') return []
    throw error
  })
