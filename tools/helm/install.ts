import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** From the Go proxy. */
const programs = {
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
  'kube-score': 'github.com/zegl/kube-score/cmd/kube-score@v1.20.0',
  helm: 'helm.sh/helm/v3/cmd/helm@v3.22.0',
} as const

export type Program = keyof typeof programs

export const cacheDir = join(homedir(), '.cache/ars-helm')
export const binDir = join(cacheDir, 'bin')

/** Compiles what is missing; helm takes several minutes. */
export const installPrograms = (): void => {
  mkdirSync(binDir, { recursive: true })
  for (const [name, source] of Object.entries(programs)) {
    if (existsSync(join(binDir, name))) continue
    console.log(`compiling ${source}`)
    execFileSync('go', ['install', source], { env: { ...process.env, GOBIN: binDir }, stdio: 'inherit' })
  }
}

/** The folder of a Go module's files. */
export const downloadModule = (module: string): string => {
  const printed = execFileSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8', cwd: cacheDir })
  return (JSON.parse(printed) as { Dir: string }).Dir
}

export const readModuleFile = (module: string, path: string): string =>
  readFileSync(join(downloadModule(module), path), 'utf8')
