import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Artefact } from './artefact.ts'
import { command } from './command.ts'

/** Builds the wheel and the source distribution. `home` keeps the environment with the build tools. */
export const buildPythonPackage = async (root: string, out: string, home: string): Promise<Artefact[]> => {
  const python = await keepBuildTools(home)
  const target = join(out, 'python')
  mkdirSync(target, { recursive: true })
  // The tools are installed with their hashes, so that no isolated environment fetches others.
  const args = ['-m', 'build', '--no-isolation', '--outdir', target, join(root, 'sdks/python')]
  await command(python, args, { cwd: root })
  return readdirSync(target)
    .toSorted()
    .map((file) => {
      const [, version = ''] = /^agent_run_service-([^-]+?)(?:-py3-none-any\.whl|\.tar\.gz)$/.exec(file) ?? []
      const purl = `pkg:pypi/agent-run-service@${version}`
      const kind = file.endsWith('.whl') ? 'wheel' : 'sdist'
      return { kind, name: 'agent-run-service', version, purl, file: join('python', file) }
    })
}

const keepBuildTools = async (home: string): Promise<string> => {
  const requirements = join(import.meta.dirname, 'requirements.txt')
  const [mark, python] = [join(home, 'installed.txt'), join(home, 'bin/python')]
  const wanted = readFileSync(requirements, 'utf8')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return python
  rmSync(home, { recursive: true, force: true })
  await command('/usr/bin/python3', ['-m', 'venv', home], { cwd: '/' })
  const options = ['--require-hashes', '--no-deps', '--only-binary', ':all:', '--no-input', '-q']
  await command(python, ['-m', 'pip', 'install', ...options, '-r', requirements], { cwd: '/' })
  writeFileSync(mark, wanted)
  return python
}
