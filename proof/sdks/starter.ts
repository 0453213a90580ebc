import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repositoryDir } from '@ars/tools/dev/server'
import { run, type Service } from './sdk.ts'

type Wanted = {
  readonly language: 'typescript' | 'python' | 'go'
  /** The package as customers get it. */
  readonly sdk: string
  readonly service: Service
  readonly env: NodeJS.ProcessEnv
}

/** Writes the starter of `ars init`, installs the package into it and runs it against the service. */
export const runStarter = async ({ language, sdk, service, env }: Wanted): Promise<string> => {
  const cwd = mkdtempSync(join(tmpdir(), 'ars-starter-'))
  try {
    const main = join(repositoryDir, 'apps/cli/src/main.ts')
    const output = await run({
      program: process.execPath,
      args: [main, 'init', language, 'program', '--agent', 'test-echo', '--sdk', sdk, '--run'],
      cwd,
      env: { ...env, ARS_BASE_URL: service.baseUrl, ARS_API_KEY: service.apiKey, ARS_CA_FILE: service.caFile },
    })
    const found = /^run_\w+ completed .*$/m.exec(output)
    if (!found) throw new Error(`The starter printed:\n${output}`)
    return found[0]
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}
