import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { Config } from '@ars/core/config'
import { systemClock } from '@ars/platform/clock'
import { randomBytes } from '@ars/platform/crypto'
import { publicIdentityKey } from '@ars/platform/durable/identity-key'
import { restateSettings } from '@ars/platform/durable/restate-settings'
import { releaseFile } from '@ars/platform/release-files'
import { createSelfSigned, publicDays } from '@ars/platform/self-signed'
import { UsageError } from './admin/command.ts'
import { isLoopback } from './exposure.ts'

/** Where the processes of the installation run. */
export const places = ['compose', 'systemd'] as const
export type Place = (typeof places)[number]

type Options = {
  folder: string
  place: Place
  publicUrl: string
  version: string
  /** For the first start of a container: leaves the folder of an earlier call as it is, and succeeds. */
  isOnce?: boolean
}

/** It is written when the folder is complete. */
const lastFile = 'made-by-version'
// The user of the image. A folder made by root belongs to it.
const imageUser = 65_532
const roles = ['owner', 'app', 'auth', 'feed', 'system', 'backup'] as const
// ARS_DATABASE_URL is the address of `ars_app`.
const urlNames = {
  owner: 'database-owner-url',
  app: 'database-url',
  auth: 'database-auth-url',
  feed: 'database-feed-url',
  system: 'database-system-url',
  backup: 'database-backup-url',
}

/**
 * `ars-server init <folder>`: makes the folder of an installation with keys, certificate, passwords, the settings of every
 * component and the first owner. Existing files are never changed: the folder must not exist, or be empty.
 */
export const init = (options: Options): number => {
  const folder = resolve(options.folder)
  if (options.isOnce && existsSync(join(folder, lastFile))) return 0
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new UsageError(`${folder} is not empty. Name a folder that does not exist; nothing is overwritten.`)
  const files = filesOf({ ...options, folder })
  // Root's files are for the user of the image; under systemd the service gets them as credentials.
  const isForImage = (options.place === 'compose' || options.isOnce === true) && process.getuid?.() === 0
  const own = (path: string): void => {
    if (isForImage) chownSync(path, imageUser, imageUser)
  }
  for (const name of ['.', ...foldersOf(options.place)]) {
    mkdirSync(join(folder, name), { recursive: true, mode: 0o750 })
    own(join(folder, name))
  }
  for (const [name, { text, mode = 0o600 }] of Object.entries(files)) {
    const path = join(folder, name)
    writeFileSync(path, text.endsWith('\n') ? text : `${text}\n`, { flag: 'wx', mode })
    chmodSync(path, mode)
    own(path)
  }
  for (const name of copiesOf(options.place)) {
    const path = join(folder, basename(name))
    copyFileSync(releaseFile(name), path)
    own(path)
  }
  writeFileSync(join(folder, lastFile), `${options.version}\n`, { flag: 'wx', mode: 0o640 })
  own(join(folder, lastFile))
  process.stdout.write(`Made ${folder}. The first owner and the password are in ${join(folder, 'owner.json')}.\n`)
  return 0
}

const copiesOf = (place: Place): string[] =>
  place === 'compose' ? ['deploy/compose/compose.yaml', 'db/roles.sql'] : ['db/roles.sql']

// Containers write into `data` only; `config` is for files of the operator.
const foldersOf = (place: Place): string[] => [
  'secrets',
  'tls',
  ...(place === 'compose' ? ['config', 'data', 'data/postgres', 'data/restate', 'data/backups'] : []),
]

type Files = Readonly<Record<string, { text: string; mode?: number }>>

const filesOf = ({ folder, place, publicUrl, version }: Options): Files => {
  const isCompose = place === 'compose'
  const host = (name: string): string => (isCompose ? name : '127.0.0.1')
  // Containers see these folders.
  const home = isCompose ? '/etc/ars' : folder
  const secrets = isCompose ? '/run/secrets' : `${folder}/secrets`
  const passwords = Object.fromEntries(roles.map((role) => [role, newPassword()]))
  const [postgresPassword, redisPassword] = [newPassword(), newPassword()]
  const identity = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const { hostname, port } = new URL(publicUrl)
  const names = [...new Set(['localhost', ...(/^[a-z][a-z0-9.-]*$/i.test(hostname) ? [hostname] : [])])]
  const nowMs = systemClock.now().getTime()
  const { certificate, key } = createSelfSigned({ names, nowMs, days: publicDays })
  // Between containers, for Postgres and Redis. Nobody else trusts it, so it may be valid for long.
  const internal = createSelfSigned({ names: ['postgres', 'redis'], nowMs, days: 7_300 })
  const databaseTls = isCompose ? `?sslmode=verify-full&sslrootcert=${home}/tls/internal.pem` : ''
  const urls = roles.map((role) => [
    `secrets/${urlNames[role]}`,
    { text: `postgres://ars_${role}:${passwords[role]}@${host('postgres')}:5432/ars${databaseTls}` },
  ])
  const settings = {
    ARS_PUBLIC_URL: publicUrl,
    ...Object.fromEntries(
      ['DATABASE_URL', 'DATABASE_AUTH_URL', 'DATABASE_FEED_URL', 'REDIS_URL'].map((name) => [
        `ARS_${name}_FILE`,
        `${secrets}/${name.toLowerCase().replaceAll('_', '-')}`,
      ]),
    ),
    ARS_ENGINE_INGRESS_URL: `http://${host('restate')}:8080`,
    ARS_ENGINE_ADMIN_URL: `http://${host('restate')}:9070`,
    ARS_ENGINE_METRICS_URL: `http://${host('restate')}:5122`,
    ARS_ENGINE_IDENTITY_KEY: publicIdentityKey(identity),
    ARS_WORKER_URL: `http://${host('worker')}:9080`,
    ...(isCompose && {
      ARS_WORKER_HOST: '0.0.0.0',
      ARS_METRICS_HOST: '0.0.0.0',
      NODE_EXTRA_CA_CERTS: `${home}/tls/internal.pem`,
    }),
    // An address of this machine is served to this machine only.
    ...(!isCompose && isLoopback(hostname) && { ARS_HTTP_HOST: '127.0.0.1' }),
    // No proxy and no container maps the port here.
    ...(!isCompose && { ARS_HTTP_PORT: port || '443' }),
    ARS_TLS_CERT_FILE: `${home}/tls/cert.pem`,
    ARS_TLS_KEY_FILE: `${home}/tls/key.pem`,
    ARS_KEK_FILE: `${secrets}/kek`,
    ARS_BACKUPS: 'service',
  }
  return {
    'settings.env': { text: linesOf(settings), mode: 0o640 },
    ...Object.fromEntries(urls),
    'secrets/redis-url': { text: isCompose ? `rediss://:${redisPassword}@redis:6379` : 'redis://127.0.0.1:6379' },
    'secrets/kek': { text: `first:${randomBytes(32).toString('base64')}` },
    'secrets/postgres-password': { text: postgresPassword },
    'secrets/pgpass': { text: `*:*:*:postgres:${postgresPassword}` },
    'secrets/passwords.sql': {
      text:
        roles.map((role) => `\\set ${role}_password '${passwords[role]}'`).join('\n') +
        `\n\\set password '${newPassword()}'`,
    },
    'restate.toml': {
      text: restateSettings({
        identityFile: isCompose ? '/run/secrets/identity' : `${secrets}/identity.pem`,
        ...(isCompose && { dataDir: '/restate-data', bindIp: '0.0.0.0' }),
      }),
    },
    'secrets/identity.pem': { text: identity },
    'tls/cert.pem': { text: certificate, mode: 0o644 },
    'tls/key.pem': { text: key },
    'owner.json': { text: JSON.stringify({ email: 'owner@example.com', password: newPassword() }) },
    ...(!isCompose && {
      'gateway.env': { text: '# Settings of gateways only.' },
      'worker.env': { text: `ARS_DATABASE_SYSTEM_URL_FILE=${secrets}/database-system-url` },
    }),
    ...(isCompose && {
      'tls/internal.pem': { text: internal.certificate, mode: 0o644 },
      'secrets/internal-key.pem': { text: internal.key },
      'secrets/redis.conf': { text: redisConf(redisPassword) },
      'pg_hba.conf': { text: hostAccess, mode: 0o644 },
      '.env': {
        text: linesOf({
          ARS_IMAGE: `localhost/ars-server:${version}`,
          ARS_ADDRESS: isLoopback(hostname) ? '127.0.0.1' : '0.0.0.0',
          ARS_PORT: port || '443',
          ARS_USER: userOfFiles(),
          ARS_CPUS: String(shareOfCpus * availableParallelism()),
          ARS_MEMORY: '2g',
        }),
        mode: 0o640,
      },
    }),
  }
}

/** Of the machine, for each container: none takes all of it. */
const shareOfCpus = 0.75

const userOfFiles = (): string => {
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  return user === 0 ? `${imageUser}:${imageUser}` : `${user}:${group}`
}

const redisConf = (password: string): string => `requirepass ${password}
save ""
appendonly no
port 0
tls-port 6379
tls-cert-file /etc/ars/internal.pem
tls-key-file /run/secrets/internal-key
tls-auth-clients no
`

/** Connections of the container itself, and those of other containers with TLS and a password. */
const hostAccess = `local all all trust
host all all 127.0.0.1/32 trust
hostssl all all all scram-sha-256
hostssl replication ars_backup all scram-sha-256
`

/** 192 bits, in letters that need no quotes in an address, in SQL and in a shell. */
const newPassword = (): string => randomBytes(24).toString('base64url')

const linesOf = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')

/** Refuses an address that the service would refuse. */
export const publicUrlOf = (text: string | undefined): string => {
  const parsed = Config.shape.publicUrl.safeParse(text)
  if (!parsed.success) throw new UsageError('--public-url must be an address such as https://agents.example.com')
  return parsed.data
}
