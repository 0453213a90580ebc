import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { ConfigError } from '@ars/platform/config'
import { sha256 } from '@ars/platform/crypto'
import { releaseFile } from '@ars/platform/release-files'

/** The files of the dashboard, by the path of the request that asks for them. */
export type DashboardFiles = ReadonlyMap<string, DashboardFile>

export type DashboardFile = {
  readonly type: string
  /** The file as it is, and as compressed by the build. */
  readonly variants: { readonly identity: Variant } & Readonly<Partial<Record<Encoding, Variant>>>
}

export type Variant = { readonly body: Buffer; readonly etag: string }
export type Encoding = 'br' | 'gzip'

export const dashboardPath = '/dashboard'
export const indexPath = `${dashboardPath}/index.html`

export const builtDashboardFolder = releaseFile('apps/dashboard/dist')

/** Everything stays in memory for the life of the process. The dashboard of this release has about 3 MB. */
export const dashboardLimits = { bytes: 33_554_432, files: 5_000 }

/**
 * Reads the built dashboard once. A request only looks up its path in this table, so no request can name another file.
 * Null: the folder does not exist or is empty.
 */
export const readDashboard = (folder: string): DashboardFiles | null => {
  const names = namesIn(folder)
  if (names.length === 0) return null
  const bodies = new Map<string, Buffer>()
  let bytes = 0
  for (const name of names) {
    const body = readFileSync(join(folder, name))
    bytes += body.length
    bodies.set(name, body)
    if (bytes > dashboardLimits.bytes || bodies.size > dashboardLimits.files) throw tooLarge(folder)
  }
  if (!bodies.has('index.html'))
    throw new ConfigError(`ARS_DASHBOARD_DIR: the dashboard in ${folder} has no index.html. Build it again.`)
  return new Map(
    [...bodies]
      .filter(([name]) => !bodies.has(name.replace(/\.(br|gz)$/, '')) || !/\.(br|gz)$/.test(name))
      .map(([name, identity]) => [
        `${dashboardPath}/${name}`,
        fileOf(name, { identity, br: bodies.get(`${name}.br`), gzip: bodies.get(`${name}.gz`) }),
      ]),
  )
}

/** Links, which may lead out of the folder, and hidden files, such as the manifest of the build, are left out. */
const namesIn = (folder: string, below = ''): string[] =>
  entriesOf(join(folder, below)).flatMap((entry) => {
    const name = `${below}${entry.name}`
    if (entry.name.startsWith('.')) return []
    if (entry.isDirectory()) return namesIn(folder, `${name}/`)
    return entry.isFile() ? [name] : []
  })

const entriesOf = (folder: string): Dirent[] => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new ConfigError(`ARS_DASHBOARD_DIR: ${(error as Error).message}`, { cause: error })
  }
}

const fileOf = (
  name: string,
  bodies: { identity: Buffer; br: Buffer | undefined; gzip: Buffer | undefined },
): DashboardFile => {
  const hash = sha256(bodies.identity).toString('base64url').slice(0, 22)
  return {
    type: types[extname(name)] ?? 'application/octet-stream',
    variants: {
      identity: { body: bodies.identity, etag: `"${hash}"` },
      ...(bodies.br && { br: { body: bodies.br, etag: `"${hash}-br"` } }),
      ...(bodies.gzip && { gzip: { body: bodies.gzip, etag: `"${hash}-gzip"` } }),
    },
  }
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
}

const tooLarge = (folder: string): Error =>
  new ConfigError(
    `ARS_DASHBOARD_DIR: the dashboard in ${folder} has over ${dashboardLimits.bytes} bytes or ${dashboardLimits.files} files. Name the folder that the build of the dashboard wrote.`,
  )
