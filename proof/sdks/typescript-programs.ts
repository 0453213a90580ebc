import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Programs } from './program-at.ts'
import { copyExample, copyPrograms, runExample, runPrograms } from './programs.ts'
import { type ReachingService, run } from './sdk.ts'

const homeIn = (project: string): string => join(project, 'programs')

/** The programs of `examples/programs` in the folder of the customer, with the strictest types. */
export const checkTypescriptPrograms = async (project: string, tools: string): Promise<string> => {
  const home = homeIn(project)
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  copyExample('triage', home)
  const files = [...copyPrograms(home, 'main.ts'), 'triage'].map((name) => `${name}/main.ts`)
  const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
  const modules = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node']
  const args = [
    join(tools, 'typescript/bin/tsc'),
    ...strict,
    ...modules,
    '--typeRoots',
    join(tools, '@types'),
    ...files,
  ]
  await run({ program: process.execPath, args, cwd: home, env: process.env })
  return `${files.length} programs compile`
}

export const runTypescriptPrograms = (project: string, service: ReachingService): Promise<string> =>
  runPrograms(programsOf(project, service))

export const runTriage = (project: string, service: ReachingService): Promise<string> =>
  runExample(programsOf(project, service), 'triage')

const programsOf = (project: string, service: ReachingService): Programs => ({
  language: 'typescript',
  folder: (name) => join(homeIn(project), name),
  command: () => [process.execPath, 'main.ts'],
  service,
  env: {
    ...process.env,
    ARS_API_KEY: service.apiKey,
    ARS_BASE_URL: service.baseUrl,
    NODE_EXTRA_CA_CERTS: service.caFile,
  },
})
