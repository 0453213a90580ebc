import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keepGo } from '@ars/tools/dev/go'
import { repositoryDir } from '@ars/tools/dev/server'
import { keepPython, type Run } from './tools.ts'

/** Where a generator works: the document, an empty folder, and the variables that the program reads. */
export type Place = { document: string; folder: string; run: Run; env: NodeJS.ProcessEnv }

/** Generates a client, compiles or imports it, and makes one call. Returns what the call printed. */
export type Generator = { name: string; prove(place: Place): Promise<string> }

const programs = join(import.meta.dirname, 'programs')
const state = join(repositoryDir, process.env.CI ? '.ci-state' : '.dev', 'generators')
const goState = join(repositoryDir, process.env.CI ? '.ci-state' : '.dev', 'go-toolchain')
const openapiTypescript = 'openapi-typescript@7.13.0'
const oapiCodegen = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.1'

const openapiGenerator = async (place: Place, language: string, properties: string): Promise<void> => {
  const bin = await keepPython(state)
  // The version of Python in the environment comes with its own Java.
  const args = ['generate', '-g', language, '-i', place.document, '-o', place.folder]
  await place.run(join(bin, 'openapi-generator-cli'), [...args, `--additional-properties=${properties}`])
}

/** Puts the program beside the generated package, as its command. */
const goProgram = async ({ folder, run, env }: Place, program: string): Promise<string> => {
  const toolchain = await keepGo(goState, console.log)
  mkdirSync(join(folder, 'call'))
  cpSync(join(programs, program), join(folder, 'call/main.go'))
  const inFolder = { cwd: folder, env: { ...toolchain, ...variablesOf(env), SSL_CERT_FILE: env.CA_FILE } }
  await run('go', ['mod', 'tidy'], inFolder)
  await run('go', ['build', './...'], inFolder)
  return run('go', ['run', './call'], inFolder)
}

/** What the program reads, without the variables of this process, which would replace the toolchain. */
const variablesOf = ({ BASE_URL, API_KEY, AGENT_ID }: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  BASE_URL,
  API_KEY,
  AGENT_ID,
})

const pythonProgram = async ({ folder, run, env }: Place, program: string): Promise<string> => {
  const bin = await keepPython(state)
  return run(join(bin, 'python'), [join(programs, program)], { cwd: folder, env: { ...env, PYTHONPATH: folder } })
}

/** This generator writes a default that is an object or a list as JSON, which is not Go. Its users leave such defaults out, too. */
const withoutCompoundDefaults = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(withoutCompoundDefaults)
  if (typeof node !== 'object' || node === null) return node
  const kept = Object.entries(node).filter(
    ([key, value]) => key !== 'default' || typeof value !== 'object' || value === null,
  )
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutCompoundDefaults(value)]))
}

export const generators: readonly Generator[] = [
  {
    name: 'openapi-generator, python',
    prove: async (place) => {
      await openapiGenerator(place, 'python', 'packageName=og_client')
      return pythonProgram(place, 'openapi_generator.py')
    },
  },
  {
    name: 'openapi-generator, go',
    prove: async (place) => {
      const document = join(place.folder, 'openapi.json')
      writeFileSync(document, JSON.stringify(withoutCompoundDefaults(JSON.parse(readFileSync(place.document, 'utf8')))))
      await openapiGenerator({ ...place, document }, 'go', 'packageName=client,withGoMod=false')
      writeFileSync(join(place.folder, 'go.mod'), 'module example.com/client\n\ngo 1.24\n')
      // Its own tests import the repository that it would be published in.
      await place.run('rm', ['-rf', join(place.folder, 'test')])
      return goProgram(place, 'openapi_generator.go.txt')
    },
  },
  {
    name: 'oapi-codegen',
    prove: async (place) => {
      // The generator itself needs a newer Go, which the older one fetches if its root is not fixed.
      const { GOROOT: _, ...toolchain } = await keepGo(goState, console.log)
      const args = ['run', oapiCodegen, '-generate', 'types,client', '-package', 'client', '-o', 'client.go']
      await place.run('go', [...args, place.document], {
        cwd: place.folder,
        env: { ...toolchain, GOTOOLCHAIN: 'auto' },
      })
      writeFileSync(join(place.folder, 'go.mod'), 'module example.com/client\n\ngo 1.24\n')
      return goProgram(place, 'oapi_codegen.go.txt')
    },
  },
  {
    name: 'openapi-python-client',
    prove: async (place) => {
      const bin = await keepPython(state)
      const output = join(place.folder, 'opc_client')
      const config = join(place.folder, 'opc.yaml')
      writeFileSync(config, 'content_type_overrides:\n  application/jsonl: text/plain\n')
      const options = ['--config', config, '--meta', 'none', '--fail-on-warning']
      await place.run(
        join(bin, 'openapi-python-client'),
        ['generate', '--path', place.document, '--output-path', output, ...options],
        { cwd: place.folder, env: { ...place.env, PATH: `${bin}:${process.env.PATH}` } },
      )
      return pythonProgram(place, 'openapi_python_client.py')
    },
  },
  {
    name: 'openapi-typescript',
    prove: async (place) => {
      const bin = join(repositoryDir, 'proof/node_modules/.bin')
      const output = ['-o', join(place.folder, 'client.ts')]
      await place.run('pnpm', ['dlx', openapiTypescript, place.document, ...output], { cwd: place.folder })
      cpSync(join(programs, 'openapi-typescript.ts.txt'), join(place.folder, 'call.ts'))
      const options = { include: ['*.ts'], compilerOptions: compiling }
      writeFileSync(join(place.folder, 'tsconfig.json'), JSON.stringify(options))
      writeFileSync(join(place.folder, 'package.json'), '{ "type": "module" }')
      await place.run(join(bin, 'tsc'), ['-p', place.folder])
      const env = { ...place.env, NODE_EXTRA_CA_CERTS: place.env.CA_FILE }
      return place.run(process.execPath, [join(place.folder, 'call.ts')], { cwd: place.folder, env })
    },
  },
]

const compiling = {
  noEmit: true,
  strict: true,
  target: 'es2024',
  module: 'nodenext',
  allowImportingTsExtensions: true,
  types: ['node'],
  typeRoots: [join(repositoryDir, 'node_modules/@types')],
}
