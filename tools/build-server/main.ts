import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { command } from '../release/command.ts'
import { buildServerBundle } from '../release/server-bundle.ts'
import { buildServerExecutable } from '../release/server-executable.ts'

const help = `pnpm build:server: builds ars-server for this system, and proves nothing.

Writes the bundle (Node 24 starts its main.mjs) and the executable file (which needs no Node) into dist/release/server,
with the dashboard. \`pnpm release --dry-run\` builds the same files and tries them.

  --docs    also builds the documentation site into them; without it, they have the site that was built last, or none
`

const root = join(import.meta.dirname, '../..')
const out = join(root, 'dist/release')
const { values } = parseArgs({ options: { docs: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } })

if (values.help) console.log(help)
else {
  const begun = performance.now()
  rmSync(join(out, 'server'), { recursive: true, force: true })
  if (values.docs) await command('pnpm', ['--filter', '@ars/docs-site', 'build'], { cwd: root })
  const bundle = await buildServerBundle(root, out)
  const executable = await buildServerExecutable(root, out, bundle)
  for (const { file } of [bundle, executable]) console.log(join('dist/release', file))
  console.log(`${((performance.now() - begun) / 1000).toFixed(0)} s`)
}
