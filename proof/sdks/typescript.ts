import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkTypescriptGuides, runTypescriptGuides } from './guides.ts'
import { run, type Sdk, type Step } from './sdk.ts'
import { runStarter } from './starter.ts'
import { openPage } from './typescript-browser.ts'
import { buildRunners, findFaults, runTranscripts } from './typescript-conformance.ts'
import { checkTypes, install, pack, writeReference } from './typescript-package.ts'
import { checkTypescriptPrograms, runTriage, runTypescriptPrograms } from './typescript-programs.ts'
import { runReadme } from './typescript-readme.ts'
import { keepTools } from './typescript-tools.ts'

/** Judges the package as customers get it: packed, and installed into an empty folder. */
export const typescriptSdk: Sdk = {
  name: 'TypeScript',
  steps: (service) => {
    const scratch = mkdtempSync(join(tmpdir(), 'ars-sdk-typescript-'))
    const project = join(scratch, 'customer')
    let tools = ''
    let tarball = ''
    const tool = (file: string, ...args: string[]) =>
      run({ program: process.execPath, args: [join(tools, file), ...args], cwd: scratch, env: process.env })
    const step = (name: string, work: () => Promise<string>): Step => ({ name, work })
    const preparing = (name: string, work: () => Promise<string>): Step => ({ name, work, prepares: true })
    return [
      preparing('tools', async () => {
        tools = await keepTools()
        return tools
      }),
      preparing('pack and install', async () => {
        tarball = await pack(scratch)
        return install(project, tarball)
      }),
      step('publint', async () => {
        const output = await tool('publint/src/cli.js', 'run', tarball, '--strict')
        if (!output.includes('All good')) throw new Error(output)
        return 'all good'
      }),
      step('are the types wrong', async () => {
        // TypeScript 7 has no resolution `node10`, which cannot find subpaths of a package.
        const output = await tool('@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'node16', '--no-emoji')
        return `${output.match(/: OK/g)?.length} resolutions are OK`
      }),
      step('types', () => checkTypes(project, tools)),
      step('conformance', async () => {
        await buildRunners(project, tools)
        return runTranscripts(project)
      }),
      step('planted faults', () => findFaults(project)),
      step('Vite and Chromium', () => openPage(project, tools)),
      step('reference', () => writeReference(scratch, tools)),
      step('README, live', () => runReadme(project, tools, service)),
      step('guides, types', () => checkTypescriptGuides(project, tools)),
      step('guides, live', () => runTypescriptGuides(project, service)),
      step('programs, types', () => checkTypescriptPrograms(project, tools)),
      step('programs, live', () => runTypescriptPrograms(project, service)),
      step('programs, triage', () => runTriage(project, service)),
      step('starter', () => runStarter({ language: 'typescript', sdk: tarball, service, env: process.env })),
    ]
  },
}
