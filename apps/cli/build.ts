import { chmodSync, copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'rolldown'

// node build.ts: writes `dist/ars.cjs`, one file without dependencies for Node 20 and newer, the licences of the packages
// that it contains, and `dist/bundled.json`, their list. CommonJS, because a single executable application takes no ES
// module.

const folder = import.meta.dirname
const dist = join(folder, 'dist')
const file = join(dist, 'ars.cjs')

/** The folder of the third-party package that a module belongs to. */
const packageOf = (moduleId: string): string[] => {
  const [, found] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(moduleId) ?? []
  return found === undefined ? [] : [found]
}

rmSync(dist, { recursive: true, force: true })
const { output } = await build({
  input: join(folder, 'src/main.ts'),
  platform: 'node',
  transform: { target: 'node20' },
  output: { file, format: 'cjs', codeSplitting: false },
})
chmodSync(file, 0o755)

const modules = output.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []))
const bundled = [...new Set(modules.flatMap(packageOf))].sort().map((path) => {
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
  const licenceFile = join(path, 'LICENSE')
  if (!existsSync(licenceFile)) throw new Error(`${name} has no licence file`)
  return { name, version, license, text: readFileSync(licenceFile, 'utf8') }
})
writeFileSync(join(dist, 'bundled.json'), JSON.stringify(bundled.map(({ text, ...each }) => each)))
const notices = bundled.map(({ name, version, text }) => `${name} ${version}\n\n${text.trim()}\n`)
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`))
copyFileSync(join(dirname(dirname(folder)), 'LICENSE'), join(folder, 'LICENSE'))
