import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const manifest = join(import.meta.dirname, '../../package.json')

/** The version of all packages: SDKs, `ars`, `ars-server` and the chart. That of the API is `apiVersion`. */
export const { version: packageVersion } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
