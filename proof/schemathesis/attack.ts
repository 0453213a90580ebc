import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contract } from '@ars/contract'
import { repositoryDir } from '@ars/tools/dev/server'
import { documentPath } from '@ars/tools/gen/files'
import type { TemporaryStack } from '../lab/stack/temporary-stack.ts'
import { type Answers, merged } from './report.ts'
import { receivers, setScene } from './scene.ts'

/** What only a person in a browser can do; the rest is asked with a key. */
const forPeople = ['Authentication', 'Sessions']

/** A session for each request that shows one; the edges of fields are as many whatever the number of cases. */
const sessionsAtLeast = 2_000

/** Every operation gets its share of random cases; the edges of its fields and the chains of calls come on top. */
export const attack = async (
  temporary: TemporaryStack,
  { python, cases, seed }: { python: string; cases: number; seed: string },
): Promise<{ hasPassed: boolean; answers: Answers }> => {
  const { stack } = temporary
  const server = stack.server({
    role: 'all',
    env: { ARS_UNAUTHORIZED_PER_MINUTE: '1000000', ARS_EGRESS_ALLOW_RANGES: `${receivers}.0/24` },
  })
  await server.start()
  const operations = Object.values(contract).reduce((sum, group) => sum + Object.keys(group).length, 0)
  const scene = join(stack.dir, 'scene.json')
  writeFileSync(scene, JSON.stringify(await setScene(temporary, sessionsAtLeast + cases)))
  const run = async (as: 'person' | 'key', options: readonly string[]): Promise<[boolean, Answers]> => {
    const metrics = join(stack.dir, `answers-${as}.json`)
    const code = await runToEnd(
      python,
      [
        ...['-m', 'schemathesis.cli', '--config-file', join(import.meta.dirname, 'schemathesis.toml')],
        ...['run', join(repositoryDir, documentPath), '--url', `${server.url}/v2`],
        ...['--max-examples', String(Math.ceil(cases / operations)), '--seed', seed, '--no-color', ...options],
      ],
      {
        ...process.env,
        SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'hooks.py'),
        ARS_SCHEMATHESIS_AS: as,
        ARS_SCHEMATHESIS_SCENE: scene,
        ARS_SCHEMATHESIS_FIGURES: metrics,
        ARS_SCHEMATHESIS_CA: stack.tls.certFile,
      },
      // It leaves its notes where it runs.
      stack.dir,
    )
    return [code === 0, existsSync(metrics) ? (JSON.parse(readFileSync(metrics, 'utf8')) as Answers) : {}]
  }
  // People first: the key deletes members, and so ends their sessions. Their cookie is added by a hook, which the check
  // that leaves credentials out does not know; the matrix of access has those cases for every operation.
  const tags = (option: string) => forPeople.flatMap((tag) => [option, tag])
  const person = await run('person', [
    ...tags('--include-tag'),
    ...['--header', `Origin: ${server.url}`, '--exclude-checks', 'ignored_auth'],
  ])
  const key = await run('key', [
    ...tags('--exclude-tag'),
    ...['--header', `Authorization: Bearer ${temporary.seed.api_key}`],
  ])
  return { hasPassed: person[0] && key[0], answers: merged([person[1], key[1]]) }
}

const runToEnd = (program: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] })
    const end = (): void => void child.kill()
    process.once('exit', end)
    child.once('error', reject)
    child.once('close', (code) => {
      process.removeListener('exit', end)
      resolve(code ?? 1)
    })
  })
