import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { ConfigError } from '@ars/platform/config'
import { sha256 } from '@ars/platform/crypto'
import { releaseFile } from '@ars/platform/release-files'
import { serverBounds } from '../../bounds.ts'

/** The files of a built site, by the path of the request that asks for them. */
export type SiteFiles = ReadonlyMap<string, SiteFile>

export type SiteFile = {
  readonly type: string
  /** The file as it is, and as compressed by the build. */
  readonly variants: { readonly identity: Variant } & Readonly<Partial<Record<Encoding, Variant>>>
}

export type Variant = { readonly body: Buffer; readonly etag: string }
export type Encoding = 'br' | 'gzip'

/** A site that the gateway serves: its name in messages, the path that it is below, and the setting that names its folder. */
export type Site = {
  readonly name: string
  readonly path: `/${string}`
  readonly setting: string
  readonly folder: string
}

export const dashboardSite: Site = {
  name: 'dashboard',
  path: '/dashboard',
  setting: 'ARS_DASHBOARD_DIR',
  folder: releaseFile('apps/dashboard/dist'),
}

export const docsSite: Site = {
  name: 'documentation site',
  path: '/docs',
  setting: 'ARS_DOCS_DIR',
  folder: releaseFile('apps/docs-site/dist'),
}

/** Everything stays in memory for the life of the process: about 3 MB for the dashboard, 16 MB for the documentation. */
const siteLimits = { bytes: serverBounds.siteFiles.bytes, files: serverBounds.siteFiles.count }

/**
 * Reads a built site once. A request only looks up its path in this table, so no request can name another file.
 * Null: the folder does not exist or is empty.
 */
export const readSite = (site: Site): SiteFiles | null => {
  const { name: siteName, path, setting, folder } = site
  const names = namesIn(site)
  if (names.length === 0) return null
  const bodies = new Map<string, Buffer>()
  let bytes = 0
  for (const name of names) {
    const body = readFileSync(join(folder, name))
    bytes += body.length
    bodies.set(name, body)
    if (bytes > siteLimits.bytes || bodies.size > siteLimits.files) throw tooLarge(site)
  }
  if (!bodies.has('index.html'))
    throw new ConfigError(`${setting}: the ${siteName} in ${folder} has no index.html. Build it again.`)
  return new Map(
    [...bodies]
      .filter(([name]) => !bodies.has(name.replace(/\.(br|gz)$/, '')) || !/\.(br|gz)$/.test(name))
      .map(([name, identity]) => [
        `${path}/${name}`,
        fileOf(name, { identity, br: bodies.get(`${name}.br`), gzip: bodies.get(`${name}.gz`) }),
      ]),
  )
}

/** Links, which may lead out of the folder, and hidden files, such as the manifest of the build, are left out. */
const namesIn = (site: Site, below = ''): string[] =>
  entriesOf(site, below).flatMap((entry) => {
    const name = `${below}${entry.name}`
    if (entry.name.startsWith('.')) return []
    if (entry.isDirectory()) return namesIn(site, `${name}/`)
    return entry.isFile() ? [name] : []
  })

const entriesOf = ({ folder, setting }: Site, below: string): Dirent[] => {
  try {
    return readdirSync(join(folder, below), { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new ConfigError(`${setting}: ${(error as Error).message}`, { cause: error })
  }
}

const fileOf = (
  name: string,
  bodies: { identity: Buffer; br: Buffer | undefined; gzip: Buffer | undefined },
): SiteFile => {
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
  '.md': 'text/markdown; charset=utf-8',
  '.webp': 'image/webp',
  '.txt': 'text/plain; charset=utf-8',
}

const tooLarge = ({ name, setting, folder }: Site): Error =>
  new ConfigError(
    `${setting}: the ${name} in ${folder} has over ${siteLimits.bytes} bytes or ${siteLimits.files} files. Name the folder that the build of the ${name} wrote.`,
  )
