import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command } from '@ars/tools/release/command'
import type { Dependency } from '@ars/tools/release/sbom'
import type { Ecosystem } from './ecosystem.ts'

/** What `pip inspect` says about an installed package. */
type Package = {
  metadata: { name: string; version: string; license_expression?: string; requires_dist?: string[] }
}

export const python: Ecosystem = {
  kinds: ['wheel', 'sdist'],
  readme: 'sdks/python/README.md',
  language: 'python',
  runsSkill: true,
  install: async (artefact, { out, dir, env }) => {
    await command('/usr/bin/python3', ['-m', 'venv', 'venv'], { cwd: dir })
    const program = join(dir, 'venv/bin/python')
    const options = ['--no-input', '--disable-pip-version-check', '-q']
    await command(program, ['-m', 'pip', 'install', ...options, join(out, artefact.file)], { cwd: dir })
    const printed = await command(program, ['-m', 'pip', 'inspect'], { cwd: dir })
    const packages = (JSON.parse(printed) as { installed: Package[] }).installed.filter(
      ({ metadata }) => !['pip', 'setuptools'].includes(metadata.name),
    )
    const purls = new Map(packages.map((each) => [normal(each.metadata.name), purlOf(each)]))
    const needsOf = ({ metadata }: Package): string[] =>
      (metadata.requires_dist ?? []).flatMap((each) => purls.get(normal(/^[\w.-]+/.exec(each)?.[0] ?? '')) ?? [])
    const own = packages.find(({ metadata }) => normal(metadata.name) === artefact.name)
    let count = 0
    return {
      dependencies: packages.filter((each) => each !== own).map((each) => dependencyOf(each, needsOf(each))),
      needs: own ? [...new Set(needsOf(own))] : [],
      run: async (code) => {
        const file = `example_${++count}.py`
        writeFileSync(join(dir, file), code)
        return command(program, [file], { cwd: dir, env })
      },
    }
  },
}

const normal = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')

const purlOf = ({ metadata }: Package): string => `pkg:pypi/${normal(metadata.name)}@${metadata.version}`

const dependencyOf = (each: Package, needs: readonly string[]): Dependency => ({
  name: normal(each.metadata.name),
  version: each.metadata.version,
  purl: purlOf(each),
  ...(each.metadata.license_expression && { license: each.metadata.license_expression }),
  needs: [...new Set(needs)].filter((purl) => purl !== purlOf(each)),
})
