import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'rolldown'

// node build.ts [folder]: writes `dist/`, or another folder, with `ars-server` for Node 24: `main.mjs`, the program of its
// threads, the one native package that it loads, and the files that `packages/platform/src/release-files.ts` looks for. It
// needs nothing else of the repository. The dashboard must be built before; the documentation site is included if it is built.
// --npm: the content of the npm package `agent-run-service` instead, with its program `local.mjs`. npm installs the native package.

const folder = import.meta.dirname
const root = join(folder, '../..')

const { values, positionals } = parseArgs({ options: { npm: { type: 'boolean' } }, allowPositionals: true })

/** Programs of the bundle, by their names in it. */
const programs = {
  main: 'apps/server/src/main.ts',
  thread: 'packages/core/src/thread.ts',
  ...(values.npm && { local: 'apps/local/src/local.ts' }),
}

/** Files beside the programs. They keep their paths. */
const files = [
  'LICENSE',
  'apps/dashboard/dist',
  'catalog',
  'db/baseline.sql',
  'db/functions',
  'db/migrations',
  'db/roles.sql',
  'db/second-logins.sql',
  'deploy/compose/compose.yaml',
  'deploy/restate.toml',
  'packages/contract/openapi.json',
  'packages/core/data',
  ...(values.npm ? ['examples', 'tools/dev/functions.sh'] : []),
]

const optionalFiles = ['apps/docs-site/dist']

// `argon2` holds machine code, which no bundle can. `pg` asks for `pg-native` and does without it.
const external = ['@node-rs/argon2', 'pg-native']

const buildServer = async (target: string): Promise<void> => {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  const modules = new Set<string>()
  for (const [name, input] of Object.entries(programs)) {
    const { output } = await build({
      input: join(root, input),
      platform: 'node',
      external,
      transform: { target: 'node24' },
      // Packages that are CommonJS ask for the modules of Node by `require`.
      output: { file: join(target, `${name}.mjs`), format: 'esm', codeSplitting: false, minify: false },
    })
    for (const each of output) if (each.type === 'chunk') for (const id of each.moduleIds) modules.add(id)
  }
  for (const file of files) {
    if (!existsSync(join(root, file))) throw new Error(`${file} does not exist. Build the dashboard first.`)
    cpSync(join(root, file), join(target, file), { recursive: true })
  }
  for (const file of optionalFiles)
    if (existsSync(join(root, file))) cpSync(join(root, file), join(target, file), { recursive: true })
  const native = values.npm ? [] : copyNativePackages(join(target, 'node_modules'))
  const packages = [...new Set([...modules].flatMap(packageOf)), ...native].sort()
  writePapers(target, packages)
}

/** The folder of the third-party package that a module belongs to. */
const packageOf = (moduleId: string): string[] => {
  const [, found] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(moduleId) ?? []
  return found === undefined ? [] : [found]
}

/** Copies argon2 and its machine code for this system, and answers their folders. */
const copyNativePackages = (target: string): string[] => {
  const name = '@node-rs/argon2'
  const own = dirname(createRequire(join(root, 'packages/platform/package.json')).resolve(`${name}/package.json`))
  const code = `${name}-${process.platform}-${process.arch}-gnu`
  const binary = dirname(createRequire(join(own, 'package.json')).resolve(`${code}/package.json`))
  for (const [each, from] of [
    [name, own],
    [code, binary],
  ] as const)
    cpSync(from, join(target, each), {
      recursive: true,
      dereference: true,
      filter: (path) => !/\/browser\.|\.d\.ts$/.test(path),
    })
  return [own, binary]
}

const writePapers = (target: string, packages: readonly string[]): void => {
  const bundled = packages.map((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
    const licence = readdirSync(path).find((file) => /^licen[cs]e/i.test(file))
    return { name, version, license, text: licence ? readFileSync(join(path, licence), 'utf8') : `Licence: ${license}` }
  })
  writeFileSync(
    join(target, 'bundled.json'),
    `${JSON.stringify(
      bundled.map(({ text, ...each }) => each),
      undefined,
      1,
    )}\n`,
  )
  const notices = bundled.map(({ name, version, text }) => `${name} ${version}\n\n${text.trim()}\n`)
  writeFileSync(join(target, 'THIRD-PARTY-LICENSES.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`))
}

await buildServer(positionals[0] ?? join(folder, 'dist'))
