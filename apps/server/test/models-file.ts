import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The path of a new `models.yaml` with the provider `local`, which is called at this address, and all its models. */
export const writeModels = (baseUrl: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'models-')), 'models.yaml')
  const provider = `providers:\n  local: { kind: openai-compatible, base_url: "${baseUrl}" }\n`
  writeFileSync(path, `${provider}models:\n  - { model: "local/*" }\n`)
  return path
}
