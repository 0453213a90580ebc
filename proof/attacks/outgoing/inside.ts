import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startTemporaryStack, stopStacksOnSignals } from '../../lab/stack/temporary-stack.ts'
import { customerOf, until } from './customer.ts'
import { deliverTests, makeWebhooks } from './deliveries.ts'
import { type FieldMetrics, tryFields } from './fields.ts'
import { type LeakMarkers, startLeakMarkers } from './leak-markers.ts'
import { honestName, startNames } from './names.ts'
import { allowedPort, markerAddresses, markerPorts } from './namespace.ts'
import { startPublicHost } from './public-host.ts'
import { type RebindingSize, type TrickMetrics, tryRebinding } from './rebinding.ts'
import { type RedirectMetrics, tryRedirects } from './redirects.ts'

export type OutgoingSize = RebindingSize & {
  maxUrls: number
  maxTargets: number
}

export type OutgoingFindings = {
  leakMarkers: number
  controls: { markersReached: number; encodingsReached: number; honestDelivered: boolean; allowedReached: boolean }
  fields: FieldMetrics[]
  tricks: TrickMetrics[]
  lookUps: number
  redirects: RedirectMetrics[]
  /** By phase and leak marker. Empty is what must be. */
  hits: Record<string, Record<string, number>>
}

/** The computer's own addresses, as an attacker may write them; an unguarded client takes each. */
const encodings = ['127.0.0.1', '127.1', '0x7f.1', '2130706433', '017700000001', 'localhost', '[::ffff:7f00:1]']

const size = JSON.parse(await text(process.stdin)) as OutgoingSize
stopStacksOnSignals()
const [leakMarkers, names, host] = await Promise.all([startLeakMarkers(), startNames(), startPublicHost()])
const temporary = await startTemporaryStack('shell-outgoing')

const attack = async (): Promise<OutgoingFindings> => {
  const { stack, seed } = temporary
  const caFile = join(stack.dir, 'public-host.pem')
  writeFileSync(caFile, host.ca)
  const env = {
    ARS_EGRESS_CA_FILE: caFile,
    ARS_EGRESS_ALLOW_PORTS: String(allowedPort),
    // A busy machine must not fail this check.
    ARS_DATABASE_ACQUIRE_TIMEOUT_MS: '30000',
    ARS_LOG_LEVEL: 'warn',
  }
  const server = stack.server({ role: 'all', env })
  await server.start()
  const customer = customerOf({ port: stack.ports.gateway[0], ca: readFileSync(stack.tls.certFile), key: seed.api_key })
  const hits: OutgoingFindings['hits'] = {}
  const during = async <T>(phase: string, work: () => Promise<T>): Promise<T> => {
    const done = await work()
    const hit = leakMarkers.takeHits()
    if (Object.keys(hit).length > 0) hits[phase] = hit
    tell(`${phase}: done`)
    return done
  }
  const { markersReached, encodingsReached } = await reachDirectly(leakMarkers)
  const [honest] = (await makeWebhooks(customer, [`https://${honestName}/ok`])).values()
  const delivered = await deliverTests(customer, [honest?.id ?? ''])
  const honestDelivered = delivered.get(honest?.id ?? '')?.status === 'succeeded'
  tell(`an honest delivery: ${honestDelivered}`)
  const fields = await during('hostile addresses', () => tryFields(customer, { most: size.maxUrls }))
  const tricks = await during('names that change', () => tryRebinding(customer, names, size))
  const redirects = await during('redirects', () => tryRedirects(customer, host, size))
  await server.stop()
  // The same attack where the operator has allowed it: so the zeros above are the effect of the guard, and the leak markers do answer.
  const open = stack.server({ role: 'all', env: { ...env, ARS_EGRESS_ALLOW_RANGES: '10.0.0.5/32' } })
  await open.start()
  const [allowed] = (await makeWebhooks(customer, ['https://10.0.0.5/'])).values()
  if (allowed?.id) await customer.make(`/webhooks/${allowed.id}/test`, {})
  const after: Record<string, number> = {}
  await until('the leak marker that is allowed', async () => {
    Object.assign(after, leakMarkers.takeHits())
    return Object.keys(after).length > 0
  }).catch(() => false)
  const allowedReached = (after['10.0.0.5 443'] ?? 0) > 0
  const { '10.0.0.5 443': _, ...others } = after
  if (Object.keys(others).length > 0) hits['an allowed range'] = others
  customer.close()
  return {
    leakMarkers: leakMarkers.count,
    controls: { markersReached, encodingsReached, honestDelivered, allowedReached },
    fields,
    tricks,
    lookUps: names.lookUps(),
    redirects,
    hits,
  }
}

/** Without the guard every leak marker answers, also to addresses in disguise. */
const reachDirectly = async (all: LeakMarkers) => {
  const reached = await Promise.all(
    markerAddresses.flatMap((address) => markerPorts.map((port) => says(address, port))),
  )
  const encoded = await Promise.all(encodings.map((name) => fetch(`http://${name}/`).then((answer) => answer.text())))
  all.takeHits()
  return {
    markersReached: reached.filter((word) => word.endsWith('marker')).length,
    encodingsReached: encoded.filter((word) => word === 'marker').length,
  }
}

const says = (address: string, port: number): Promise<string> => text(connect({ host: address, port }))

const tell = (words: string): void => {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)}  ${words}\n`)
}

try {
  process.stdout.write(`\n${JSON.stringify(await attack())}\n`)
} finally {
  await temporary.dispose({ keepFiles: false })
  for (const part of [leakMarkers, names, host]) part.close()
}
process.exit()
