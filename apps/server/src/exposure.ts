import type { Config } from '@ars/core/config'
import { ConfigError } from '@ars/platform/config'
import type { Finding } from './doctor/finding.ts'

/** Whether an address means this machine only. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)

/** Anybody who reaches a worker without a key could start steps, so it serves the network only with a key. */
export const requireIdentityKey = ({ workerHost, engineIdentityKey }: Config): void => {
  if (isLoopback(workerHost) || engineIdentityKey !== undefined) return
  throw new ConfigError(
    'ARS_ENGINE_IDENTITY_KEY: is required, because ARS_WORKER_HOST is not a loopback address; it is the public key of the engine, publickeyv1_…',
  )
}

/** What others on the network could read, change or reach, judged by the settings. */
export const checkExposure = (config: Config): Finding[] => [
  ...Object.entries({
    ARS_DATABASE_URL: config.databaseUrl,
    ARS_DATABASE_AUTH_URL: config.databaseAuthUrl,
    ARS_DATABASE_FEED_URL: config.databaseFeedUrl,
    ARS_DATABASE_SYSTEM_URL: config.databaseSystemUrl,
  }).flatMap(([variable, url]) => (url === undefined ? [] : [checkPostgres(variable, url)])),
  ...(config.redisUrl === undefined ? [] : [checkRedisUrl(config.redisUrl)]),
  checkIdentityKey(config),
  checkPublicUrl(config),
  checkTestStack(config),
]

const checkPostgres = (variable: string, url: string): Finding => {
  const { hostname, searchParams, password } = new URL(url)
  const what = 'connection security'
  const host = hostname || searchParams.get('host') || ''
  if (host === '' || host.startsWith('/') || isLoopback(host)) return { what, found: `${variable} is local` }
  const isVerified = ['require', 'verify-ca', 'verify-full'].includes(searchParams.get('sslmode') ?? '')
  const missing = [...(isVerified ? [] : ['TLS']), ...(password ? [] : ['a password'])]
  if (missing.length === 0) return { what, found: `${variable} is remote, with TLS and a password` }
  return {
    what,
    found: `${variable} is remote and lacks ${missing.join(' and ')}`,
    advice: `Add sslmode=verify-full and a password to ${variable}: everything that the service stores crosses this connection.`,
  }
}

const checkRedisUrl = (url: string): Finding => {
  const { protocol, hostname, password } = new URL(url)
  const what = 'connection security'
  if (isLoopback(hostname)) return { what, found: 'ARS_REDIS_URL is local' }
  const missing = [...(protocol === 'rediss:' ? [] : ['TLS']), ...(password ? [] : ['a password'])]
  if (missing.length === 0) return { what, found: 'ARS_REDIS_URL is remote, with TLS and a password' }
  return {
    what,
    found: `ARS_REDIS_URL is remote and lacks ${missing.join(' and ')}`,
    advice: 'Use rediss://:password@host. Others in Redis can delay notifications and have requests refused with 429.',
  }
}

const checkIdentityKey = ({ workerHost, engineIdentityKey }: Config): Finding => {
  const what = 'engine identity'
  if (engineIdentityKey !== undefined) return { what, found: 'workers accept signed requests only' }
  if (isLoopback(workerHost)) return { what, found: 'no key, and workers listen on loopback only' }
  return {
    what,
    found: 'workers listen on the network without a key',
    advice: 'Set ARS_ENGINE_IDENTITY_KEY. A worker does not start without it.',
  }
}

const checkPublicUrl = ({ publicUrl, httpHost }: Config): Finding => {
  const what = 'public address'
  const { protocol, hostname } = new URL(publicUrl)
  if (protocol !== 'https:') {
    return {
      what,
      found: `ARS_PUBLIC_URL is ${publicUrl}`,
      advice:
        'Set ARS_PUBLIC_URL to an https:// address. Links to runs and invitations contain it, and keys are refused over http.',
    }
  }
  const isLocal = isLoopback(hostname)
  if (!isLocal || isLoopback(httpHost)) return { what, found: publicUrl }
  return {
    what,
    found: `ARS_PUBLIC_URL is ${publicUrl}, but the gateway listens on ${httpHost}`,
    advice: 'Set ARS_PUBLIC_URL to the address that clients use. Browser sessions are accepted from this origin only.',
  }
}

const checkTestStack = ({ testStack, httpHost, publicUrl }: Config): Finding => {
  const what = 'test settings'
  if (!testStack) return { what, found: 'ARS_TEST_STACK is not set' }
  if (isLoopback(httpHost) && isLoopback(new URL(publicUrl).hostname)) {
    return { what, found: 'ARS_TEST_STACK is set, and the gateway is local' }
  }
  return {
    what,
    found: 'ARS_TEST_STACK is set',
    advice: 'Remove it: it allows harmful test inputs and a moved clock. Never serve customers with it.',
  }
}
