import { builtInCatalogFolder } from '@ars/core/catalog'
import { afterAll, describe, expect, test } from 'vitest'
import { arsServer } from './ars-server.slow.ts'
import { createOwnCatalog, greeter } from './own-catalog.ts'

const { folderWith, catalogFolder, modelsFile, remove } = createOwnCatalog()
afterAll(remove)

describe('ars-server catalog check', () => {
  // No other setting is needed: a file can be checked on any machine.
  const check = async (args: string[], env: Record<string, string> = {}) => {
    const { code, stdout } = await arsServer(['catalog', 'check', ...args], env)
    return { code, out: stdout }
  }

  test('reports every valid file', async () => {
    const { code, out } = await check([], { ARS_CATALOG_FOLDER: catalogFolder })
    expect(out).toContain(`ok    ${builtInCatalogFolder}/summariser.yaml, version 1\n`)
    expect(out).toContain(`ok    ${catalogFolder}/greeter.yaml, version 1\n`)
    expect(code).toBe(0)
  })

  test('reports the faults of a folder with path and line, and fails', async () => {
    const folder = folderWith({
      'greeter.yaml': `${greeter(1, 'Hello')}input_schema: { type: object, required: [text] }\n`,
      'other.yaml': greeter(1, 'Hello')
        .replace('simulated/script', 'openai/gpt-9')
        .replace('key: greeter', 'key: other'),
    })
    const { code, out } = await check([folder], { ARS_MODELS_FILE: modelsFile })
    expect(out.split('\n')).toEqual([
      `FAIL  ${folder}/greeter.yaml, sample_input (line 9): text is required`,
      `FAIL  ${folder}/other.yaml, config.model (line 7): openai/gpt-9 is not in the models file`,
      '2 of 2 files are invalid.',
      '',
    ])
    expect(code).toBe(1)
  })
})
