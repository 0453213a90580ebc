import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// node build.ts: writes `dist`, once as ES modules and once as CommonJS, each with its types.

const folder = import.meta.dirname
const dist = join(folder, 'dist')

const compile = (...options: string[]): void => {
  const args = ['-p', join(folder, 'tsconfig.build.json'), ...options]
  execFileSync(join(folder, 'node_modules/.bin/tsc'), args, { stdio: 'inherit' })
}

rmSync(dist, { recursive: true, force: true })
compile()
const commonJs = ['--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false']
compile('--outDir', join(dist, 'cjs'), ...commonJs)
// The package itself has ES modules.
writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n')
// The compiler rewrites the extensions of imports in programs, but not in types.
for (const file of globSync(join(dist, '**/*.d.ts'))) {
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replaceAll(/(from |import\()(['"])(\.[^'"]+)\.ts\2/g, '$1$2$3.js$2'))
}
copyFileSync(join(folder, '../../LICENSE'), join(folder, 'LICENSE'))
