import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keepGo } from '@ars/tools/dev/go'
import { repositoryDir } from '@ars/tools/dev/server'
import { command } from '@ars/tools/release/command'
import type { Ecosystem } from './ecosystem.ts'

const home = join(repositoryDir, process.env.CI ? '.ci-state' : '.dev', 'go-toolchain')

export const go: Ecosystem = {
  kinds: ['go'],
  readme: 'sdks/go/README.md',
  language: 'go',
  runsSkill: true,
  install: async (artefact, { out, dir, env }) => {
    // The proxy is the folder of the release alone: the module needs nothing else. Its cache is clean, too.
    const clean = { GOPROXY: `file://${join(out, 'go')}`, GONOSUMDB: '*', GOPATH: join(dir, 'go') }
    const own = { ...env, ...(await keepGo(home, console.log)), ...clean, ...chosen(env) }
    const app = join(dir, 'app')
    mkdirSync(app)
    await command('go', ['mod', 'init', 'example.com/app'], { cwd: app, env: own })
    await command('go', ['get', `${artefact.name}@${artefact.version}`], { cwd: app, env: own })
    let count = 0
    return {
      dependencies: [],
      needs: [],
      run: async (code) => {
        const folder = join(app, `example${++count}`)
        mkdirSync(folder)
        writeFileSync(join(folder, 'main.go'), programOf(code, artefact.name))
        return command('go', ['run', `./example${count}`], { cwd: app, env: own })
      },
    }
  },
}

/** The variables of the service, which the environment of the toolchain must not replace. */
const chosen = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => /^(ARS_|SSL_CERT_)/.test(name)))

/** A block that is not a whole program is the body of `main`. */
const programOf = (code: string, module: string): string => {
  if (code.startsWith('package ')) return code
  const used = ['context', 'fmt', 'log', 'os'].filter((name) => new RegExp(`\\b${name}\\.`).test(code) || name === 'os')
  const imports = [...new Set(['context', ...used])].map((name) => `\t"${name}"\n`).join('')
  return `package main

import (
${imports}
	ars "${module}"
)

func main() {
	ctx, agentID := context.Background(), os.Getenv("ARS_AGENT_ID")
${code}}
`
}
