import { generateKeyPairSync } from 'node:crypto'
import { makeCertificate } from '@ars/platform/egress/test/certificate'
import { testEngine } from '@ars/testkit/stack'
import type { Finding } from '../../src/doctor/finding.ts'

/** Settings that doctor finds a fault in. `isRetried`: it tries for some seconds. */
export type BrokenInstallation = {
  broken: string
  isRetried?: true
  env(): Record<string, string>
  what: string
  found: RegExp
  advice: RegExp
}

export const failed = (findings: readonly Finding[]): Finding[] => findings.filter(({ advice }) => advice !== undefined)

const closed = 'http://127.0.0.1:1'
/** `file` writes a file and returns its path. */
export const brokenInstallations = (file: (name: string, text: string | Buffer) => string): BrokenInstallation[] => [
  {
    broken: 'Redis is away',
    isRetried: true,
    env: () => ({ ARS_REDIS_URL: 'redis://127.0.0.1:1' }),
    what: 'redis',
    found: /ECONNREFUSED 127\.0\.0\.1:1/,
    advice: /Check ARS_REDIS_URL.*each gateway counts rate limits alone/,
  },
  {
    broken: 'the TLS key belongs to another certificate',
    env: () => ({ ARS_TLS_KEY_FILE: file('other.pem', makeCertificate(['localhost']).key) }),
    what: 'certificate',
    found: /The key in .*other\.pem does not belong to the certificate/,
    advice: /ARS_TLS_KEY_FILE/,
  },
  {
    broken: 'the TLS key has another type than the certificate',
    env: () => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      return { ARS_TLS_KEY_FILE: file('rsa.pem', privateKey.export({ type: 'pkcs8', format: 'pem' })) }
    },
    what: 'certificate',
    found: /rsa\.pem does not belong to the certificate/,
    advice: /ARS_TLS_KEY_FILE/,
  },
  {
    broken: 'the certificate is not for the public address',
    env: () => ({ ARS_PUBLIC_URL: 'https://agents.example.com' }),
    what: 'certificate names',
    found: /not for agents\.example\.com, the host of ARS_PUBLIC_URL/,
    advice: /Clients refuse it/,
  },
  {
    broken: 'the public address is plain HTTP',
    env: () => ({ ARS_PUBLIC_URL: 'http://localhost:8443' }),
    what: 'public address',
    found: /ARS_PUBLIC_URL is http:\/\/localhost:8443/,
    advice: /https:\/\//,
  },
  {
    broken: 'the engine has other partitions',
    env: () => ({ ARS_ENGINE_PARTITIONS: '8' }),
    what: 'engine partitions',
    found: /the engine has 4, ARS_ENGINE_PARTITIONS is 8/,
    advice: /Set ARS_ENGINE_PARTITIONS to 4/,
  },
  {
    broken: 'the address of the ingress is closed',
    env: () => ({ ARS_ENGINE_INGRESS_URL: closed }),
    what: 'engine ingress',
    found: /ECONNREFUSED/,
    advice: /Check ARS_ENGINE_INGRESS_URL/,
  },
  {
    broken: 'the address of the ingress is that of the admin API',
    env: () => ({ ARS_ENGINE_INGRESS_URL: testEngine().adminUrl }),
    what: 'engine ingress',
    found: /\/restate\/health answered 404/,
    advice: /Check ARS_ENGINE_INGRESS_URL/,
  },
  {
    broken: 'the address of the admin API is closed',
    env: () => ({ ARS_ENGINE_ADMIN_URL: closed }),
    what: 'engine',
    found: /ECONNREFUSED/,
    advice: /Check ARS_ENGINE_ADMIN_URL/,
  },
  {
    broken: 'the metrics of the engine are not at their address',
    env: () => ({ ARS_ENGINE_METRICS_URL: closed }),
    what: 'engine partitions',
    found: /do not show its partitions/,
    advice: /ARS_ENGINE_METRICS_URL/,
  },
  {
    broken: 'the file of plans names a plan that does not exist',
    env: () => ({ ARS_PLANS_FILE: file('plans.yaml', 'gold: { burst: 9 }') }),
    what: 'plans file',
    found: /gold/,
    advice: /Correct ARS_PLANS_FILE/,
  },
  {
    broken: 'the models file is missing',
    env: () => ({ ARS_MODELS_FILE: '/nowhere/models.yaml' }),
    what: 'models file',
    found: /\/nowhere\/models\.yaml cannot be read: ENOENT/,
    advice: /Correct ARS_MODELS_FILE/,
  },
  {
    broken: 'the key of a model provider is missing',
    env: () => ({
      ARS_MODELS_FILE: file(
        'models.yaml',
        'providers:\n  openai: { kind: openai, api_key_env: NOBODY_SET_THIS }\nmodels:\n  - { model: openai/* }\n',
      ),
    }),
    what: 'models file',
    found: /the environment variable NOBODY_SET_THIS is not set/,
    advice: /Correct ARS_MODELS_FILE/,
  },
  {
    broken: 'the catalog folder is missing',
    env: () => ({ ARS_CATALOG_FOLDER: '/nowhere/catalog' }),
    what: 'catalog folder',
    found: /\/nowhere\/catalog/,
    advice: /Correct ARS_CATALOG_FOLDER/,
  },
  {
    broken: 'the pools are larger than the server',
    env: () => ({ ARS_DATABASE_POOL_SIZE: '200' }),
    what: 'connections',
    found: /a gateway opens up to 207, a worker up to 213/,
    advice: /Set max_connections to more than 420/,
  },
  {
    broken: 'Postgres is away',
    env: () => ({
      ARS_DATABASE_URL: 'postgres://ars_app@127.0.0.1:1/ars',
      ARS_DATABASE_AUTH_URL: 'postgres://ars_auth@127.0.0.1:1/ars',
      ARS_DATABASE_FEED_URL: 'postgres://ars_feed@127.0.0.1:1/ars',
      ARS_DATABASE_SYSTEM_URL: 'postgres://ars_system@127.0.0.1:1/ars',
    }),
    what: 'role ars_app',
    found: /ECONNREFUSED 127\.0\.0\.1:1/,
    advice: /Check ARS_DATABASE_URL/,
  },
]
