import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Config } from '@ars/core/config'
import { parseConfig } from '@ars/platform/config'
import { parseAllDocuments } from 'yaml'

type Rendered = {
  kind?: string
  spec?: { template?: { spec?: { containers?: { name: string; env?: { name: string; value: string }[] }[] } } }
}

const secretOf = (path: string): string => {
  if (path.includes('database')) return 'postgres://role:password@db/ars?sslmode=verify-full'
  return path.includes('redis') ? 'rediss://:password@redis:6379' : 'authorization=Bearer%20token'
}

/** Parses the environment of gateways and workers as the server does at its start. Throws when the server would refuse it. */
export const parseRenderedSettings = (rendered: string): void => {
  const dir = mkdtempSync(join(tmpdir(), 'ars-helm-'))
  try {
    for (const document of parseAllDocuments(rendered)) {
      const { kind, spec } = (document.toJS() ?? {}) as Rendered
      const [container] = spec?.template?.spec?.containers ?? []
      // The pod of back-ups reads one setting only.
      if (kind !== 'Deployment' || !container?.env || container.name === 'backup') continue
      const env = container.env.map(({ name, value }) => {
        if (!value.startsWith('/etc/ars/secrets/')) return [name, value]
        const file = join(dir, name)
        writeFileSync(file, secretOf(value))
        return [name, file]
      })
      const config = parseConfig(Config, Object.fromEntries(env))
      const mayCross = config.databaseSystemUrl !== undefined
      if (mayCross !== (container.name === 'worker')) throw new Error(`${container.name} and ARS_DATABASE_SYSTEM_URL`)
    }
  } finally {
    rmSync(dir, { recursive: true })
  }
}
