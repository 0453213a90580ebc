import { join } from 'node:path'
import { bump } from './bump.ts'
import { command } from './command.ts'

// pnpm changeset   records a change: which packages, and whether it is a patch, a minor or a major version
// pnpm bump        applies the recorded changes: the version of all packages

const root = join(import.meta.dirname, '../..')
const version = await bump(root)
await command('node', ['tools/gen/main.ts'], { cwd: root })
console.log(`All packages have the version ${version}. Complete CHANGELOG.md and commit.`)
