import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryDir } from '@ars/tools/dev/server'
import { keepNodes } from '../lab/nodes.ts'
import { lastLine, outcomeOf, run } from './sdk.ts'

const conformance = join(repositoryDir, 'sdks/conformance')

/** The runner of the transcripts, as a file that any Node can execute. */
export const buildRunners = async (project: string, tools: string): Promise<void> => {
  const entry = `import * as sdk from '@agent-run-service/sdk'
import { runCases } from ${JSON.stringify(join(conformance, 'runners/typescript.ts'))}
const runner = process.env.ARS_RUNNER ?? ''
runCases(sdk, { url: process.env.ARS_CONFORMANCE_URL ?? '', runner }).then(
  () => process.exit(),
  (error) => { console.error(error); process.exit(1) },
)
`
  writeFileSync(join(project, 'entry.ts'), entry)
  const bundle = (...options: string[]) => {
    const usual = ['--bundle', '--define:import.meta.main=false', '--log-level=error']
    return run({ program: join(tools, '.bin/esbuild'), args: [...usual, ...options], cwd: project, env: process.env })
  }
  const outside = ['entry.ts', '--platform=node', '--external:@agent-run-service/sdk']
  await bundle(...outside, '--format=esm', '--outfile=runner.mjs')
  await bundle(...outside, '--format=cjs', '--outfile=runner.cjs')
  // As a web page would have it: for browsers, without anything of Node, minified.
  writeFileSync(join(project, 'page.ts'), "export * from '@agent-run-service/sdk'\n")
  await bundle('page.ts', '--platform=browser', '--minify', '--format=esm', '--outfile=page.mjs')
  const inside = '--alias:@agent-run-service/sdk=./page.mjs'
  await bundle('entry.ts', '--platform=node', inside, '--format=esm', '--outfile=bundle.mjs')
}

/** Runs all transcripts with the installed package. */
export const runTranscripts = async (project: string): Promise<string> => {
  const { node20, node22 } = await keepNodes()
  const combinations = [
    { name: 'node20-esm', node: node20, file: 'runner.mjs' },
    { name: 'node20-cjs', node: node20, file: 'runner.cjs' },
    { name: 'node22-esm', node: node22, file: 'runner.mjs' },
    { name: 'node22-cjs', node: node22, file: 'runner.cjs' },
    { name: 'node24-esm', node: process.execPath, file: 'runner.mjs' },
    { name: 'node24-bundle', node: process.execPath, file: 'bundle.mjs' },
  ]
  for (const { name, node, file } of combinations) {
    const { status, output } = await transcripts(project, { name, node, file })
    if (status !== 0) throw new Error(`${name}:\n${output.slice(-6_000)}`)
    console.log(`    ${lastLine(output)}`)
  }
  const kilobytes = Math.round(statSync(join(project, 'page.mjs')).size / 1_024)
  return `${combinations.length} of ${combinations.length} combinations; ${kilobytes} KB in a page`
}

const transcripts = (project: string, { name, node, file }: { name: string; node: string; file: string }) =>
  outcomeOf({
    program: process.execPath,
    args: [join(conformance, 'main.ts'), node, join(project, file)],
    cwd: project,
    env: { ...process.env, ARS_RUNNER: name },
  })

/** Faults that the transcripts must find, each a change of one line of the package. */
const faults = [
  {
    name: 'a new idempotency key for each attempt',
    file: 'request.js',
    from: '...given,',
    to: "...given, 'idempotency-key': crypto.randomUUID(),",
  },
  { name: 'repeated frames are passed on', file: 'stream.js', from: 'Number(id) <= Number(last)', to: 'false' },
  { name: 'a reset is ignored', file: 'run-stream.js', from: "'run.output.reset'", to: "'run.output.never'" },
]

export const findFaults = async (project: string): Promise<string> => {
  for (const { name, file, from, to } of faults) {
    const copy = `${project}-fault-${file}`
    cpSync(project, copy, { recursive: true })
    const path = join(copy, 'node_modules/@agent-run-service/sdk/dist/esm', file)
    const text = readFileSync(path, 'utf8')
    if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`)
    writeFileSync(path, text.replace(from, to))
    const { status } = await transcripts(copy, { name, node: process.execPath, file: 'runner.mjs' })
    if (status === 0) throw new Error(`no transcript found the fault: ${name}`)
  }
  return `${faults.length} of ${faults.length} found`
}
