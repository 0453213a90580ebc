import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { folderOfFiles } from './folder-of-files.ts'

/** A catalog file of an operator. */
export const greeter = (version: number, greeting: string): string => `key: greeter
version: ${version}
name: Greeter
description: Greets, in the operator's own way.
category: own
config:
  model: simulated/script
  instructions: Say ${greeting}.
sample_input: { name: Ada }
simulated:
  - text: ${greeting} {{input.name}}
`

/** A catalog folder of an operator with the greeter, and a models file with `local/small`. */
export const createOwnCatalog = () => {
  const folders: string[] = []
  const folderWith = (files: Record<string, string>): string => {
    const folder = folderOfFiles(files)
    folders.push(folder)
    return folder
  }

  const catalogFolder = folderWith({ 'greeter.yaml': greeter(1, 'Hello') })
  const modelsFile = join(
    folderWith({
      'models.yaml': `
providers:
  local: { kind: openai-compatible, base_url: "http://127.0.0.1:9/v1" }
models:
  - { model: local/small }
`,
    }),
    'models.yaml',
  )
  return {
    folderWith,
    catalogFolder,
    modelsFile,
    remove: () => {
      for (const folder of folders) rmSync(folder, { recursive: true })
    },
  }
}
