import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildDashboard } from '@ars/tools/dev/dashboard-build'

// node build.ts: writes `dist/`, the bundle of ars-server with the program that starts it beside Postgres and the engine.

const folder = import.meta.dirname
const root = join(folder, '../..')
await buildDashboard()
const args = [join(root, 'apps/server/build.ts'), join(folder, 'dist'), '--npm']
execFileSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
