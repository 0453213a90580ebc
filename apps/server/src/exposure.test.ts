import { Config } from '@ars/core/config'
import { parseConfig } from '@ars/platform/config'
import { expect, test } from 'vitest'
import { checkExposure, isLoopback, requireIdentityKey } from './exposure.ts'

const local = {
  ARS_DATABASE_URL: 'postgres://ars_app:x@localhost/ars',
  ARS_DATABASE_AUTH_URL: 'postgres://ars_auth@127.0.0.1/ars',
  ARS_DATABASE_FEED_URL: 'postgres://ars_feed@localhost/ars',
  ARS_DATABASE_SYSTEM_URL: 'postgres://ars_system@[::1]/ars',
  ARS_REDIS_URL: 'redis://localhost:6379',
  ARS_ENGINE_INGRESS_URL: 'http://localhost:8080',
  ARS_ENGINE_ADMIN_URL: 'http://localhost:9070',
  ARS_PUBLIC_URL: 'https://agents.example.com',
}

const faultsOf = (change: Record<string, string>): string[] =>
  checkExposure(parseConfig(Config, { ...local, ...change }))
    .filter(({ advice }) => advice !== undefined)
    .map(({ found }) => found)

test('doctor accepts local components, and remote ones with TLS and a password', () => {
  expect(faultsOf({})).toEqual([])
  expect(
    faultsOf({
      ARS_DATABASE_URL: 'postgres://ars_app:x@db.internal/ars?sslmode=verify-full',
      ARS_REDIS_URL: 'rediss://:secret@redis.internal:6379',
    }),
  ).toEqual([])
})

test.for([
  ['ARS_DATABASE_URL', 'postgres://ars_app:x@db.internal/ars', 'TLS'],
  ['ARS_DATABASE_URL', 'postgres://ars_app:x@10.0.0.5/ars?sslmode=prefer', 'TLS'],
  ['ARS_DATABASE_AUTH_URL', 'postgres://ars_auth@db.internal/ars?sslmode=verify-full', 'a password'],
  ['ARS_DATABASE_SYSTEM_URL', 'postgres://ars_system@db.internal/ars', 'TLS and a password'],
  ['ARS_REDIS_URL', 'redis://redis.internal:6379', 'TLS and a password'],
  ['ARS_REDIS_URL', 'redis://:secret@redis.internal:6379', 'TLS'],
  ['ARS_REDIS_URL', 'rediss://redis.internal:6379', 'a password'],
] as const)('doctor fails for %s=%s: it lacks %s', ([variable, url, missing]) => {
  expect(faultsOf({ [variable]: url })).toEqual([`${variable} is remote and lacks ${missing}`])
})

test('doctor fails for a public address of this machine, a worker without a key and a test stack on the network', () => {
  expect(faultsOf({ ARS_PUBLIC_URL: 'https://localhost:8443' })).toHaveLength(1)
  expect(faultsOf({ ARS_PUBLIC_URL: 'https://localhost:8443', ARS_HTTP_HOST: '127.0.0.1' })).toEqual([])
  expect(faultsOf({ ARS_WORKER_HOST: '0.0.0.0' })).toEqual(['workers listen on the network without a key'])
  expect(faultsOf({ ARS_TEST_STACK: 'true' })).toEqual(['ARS_TEST_STACK is set'])
})

test('a worker serves the network only with the key of its engine', () => {
  const config = (change: Record<string, string>) => parseConfig(Config, { ...local, ...change })
  expect(() => requireIdentityKey(config({ ARS_WORKER_HOST: '10.0.0.7' }))).toThrow('ARS_ENGINE_IDENTITY_KEY')
  expect(() => requireIdentityKey(config({ ARS_WORKER_HOST: '::' }))).toThrow('ARS_ENGINE_IDENTITY_KEY')
  const key = `publickeyv1_${'A'.repeat(40)}`
  for (const change of [
    { ARS_WORKER_HOST: '127.0.0.1' },
    { ARS_WORKER_HOST: '10.0.0.7', ARS_ENGINE_IDENTITY_KEY: key },
    { ARS_WORKER_HOST: '10.0.0.7', ARS_ENGINE_IDENTITY_KEY: `${key}, publickeyv1_${'B'.repeat(40)}` },
  ]) {
    expect(() => requireIdentityKey(config(change))).not.toThrow()
  }
  expect(() => config({ ARS_ENGINE_IDENTITY_KEY: `${key},nonsense` })).toThrow('ARS_ENGINE_IDENTITY_KEY')
  expect(
    ['localhost', '127.0.0.1', '127.9.9.9', '::1', '0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.com'].map(
      isLoopback,
    ),
  ).toEqual([true, true, true, true, false, false, false, false])
})
