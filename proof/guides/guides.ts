import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { reserveFreeBlock } from '@ars/tools/dev/parts/ports'
import { type Block, faultsOf, type Page } from '../lab/page/block.ts'
import { endAll, hasEnded, openPageShell } from '../lab/page/page-shell.ts'
import { type Clone, makeClone } from './clone.ts'
import { readPages } from './pages.ts'

export type GuideOptions = {
  /** The repository whose pages are executed. */
  readonly root: string
  /** Only these pages, beside what the README does until the stack is up. */
  readonly only?: readonly string[]
  readonly say: (line: string) => void
  readonly signal?: AbortSignal
  readonly blockLimitMs?: number
  /** Prints the output of every block. */
  readonly verbose?: boolean
}

/**
 * Executes the shell blocks of all pages, in order, on one fresh stack, in a copy of the repository. The README starts the
 * stack. Answers everything that failed; a page that fails does not keep the next ones from being executed.
 */
export const runGuides = async (options: GuideOptions): Promise<string[]> => {
  const { root, only, say, signal } = options
  const pages = readPages(root)
  const faults = faultsOf(pages)
  const chosen = only ? pages.filter(({ file }) => only.includes(file)) : pages
  const missing = (only ?? []).filter((file) => !pages.some((page) => page.file === file))
  faults.push(...missing.map((file) => `${file} is not one of the pages; --list shows them`))
  const readme = pages.find(({ file }) => file === 'README.md')
  const start = readme?.blocks.findIndex(isStackBlock) ?? -1
  if (!readme || start < 0) faults.push('README.md: no block starts the stack with `pnpm dev`')
  if (!readme || faults.length > 0) return report(say, faults)

  const ports = await reserveFreeBlock()
  const clone = makeClone(root)
  const run: Run = { ...options, clone, env: cleanEnvironment(root, clone, ports.base), stack: undefined }
  try {
    const first = chosen.includes(readme) ? readme : { ...readme, blocks: readme.blocks.slice(0, start + 1) }
    const found: string[] = []
    for (const page of [first, ...chosen.filter(({ file }) => file !== 'README.md')]) {
      if (signal?.aborted) return report(say, [...found, 'interrupted'])
      found.push(...(await runPage(run, page)))
      if (!run.stack || hasEnded(run.stack.child)) {
        found.push(`the stack does not run. Its output:\n${run.stack ? readFileSync(run.stack.log, 'utf8') : ''}`)
        break
      }
    }
    return report(say, found)
  } finally {
    if (run.stack) await endAll(run.stack.child, 60_000)
    clone.remove()
    await ports.release()
  }
}

type Run = GuideOptions & {
  readonly clone: Clone
  readonly env: NodeJS.ProcessEnv
  stack: { child: ChildProcess; log: string } | undefined
}

/** Answers why the page failed. After a block that fails, the rest of the page is not executed. */
const runPage = async (run: Run, { file, blocks }: Page): Promise<string[]> => {
  const began = performance.now()
  const scratch = join(run.clone.scratch, file.replaceAll('/', '-'))
  mkdirSync(scratch, { recursive: true })
  const { clone, env, blockLimitMs = 120_000 } = run
  const shell = openPageShell({ cwd: clone.dir, env, scratch, blockLimitMs })
  const interrupt = (): void => void shell.close()
  run.signal?.addEventListener('abort', interrupt)
  const found: string[] = []
  let done = 0
  try {
    for (const block of blocks) {
      if (block.mode === 'skip' || block.mode === 'proof') continue
      if (run.verbose) run.say(`\n── ${placeOf(block)}\n${block.code}`)
      const { output, fault } = isStackBlock(block) ? await startStack(run, block) : await shell.run(block)
      if (run.verbose) run.say(output)
      if (fault) found.push(`${placeOf(block)}: ${fault}\n${indented(block.code)}\n  Its output:\n${indented(output)}`)
      if (fault || run.signal?.aborted) break
      done++
    }
    for (const { block, output, status } of shell.background()) {
      if (status === undefined && found.length === 0) continue
      const what = status === undefined ? 'a background block' : `ended with status ${status} before its page`
      found.push(`${placeOf(block)}: ${what}\n  Its output:\n${indented(output)}`)
    }
  } finally {
    run.signal?.removeEventListener('abort', interrupt)
    await shell.close()
  }
  const skipped = blocks.filter(({ mode }) => mode === 'skip').length
  const counts = `${done} blocks${skipped > 0 ? `, ${skipped} skipped` : ''}`
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  run.say(`${found.length > 0 ? 'FAIL' : 'ok  '}  ${file.padEnd(40)} ${counts.padEnd(20)} ${seconds} s`)
  return found
}

/** The block of the README that brings the service up. It lives until the last page is done. */
const isStackBlock = ({ page, code }: Block): boolean => page === 'README.md' && /^pnpm dev\b/m.test(code)

const startStack = async (run: Run, block: Block): Promise<{ output: string; fault: string | undefined }> => {
  const { clone, env } = run
  const log = join(clone.scratch, 'stack.log')
  const output = openSync(log, 'w')
  const child = spawn('bash', ['--noprofile', '--norc', '-eu', '-o', 'pipefail', '-c', block.code], {
    cwd: clone.dir,
    env,
    detached: true,
    stdio: ['ignore', output, output],
  })
  run.stack = { child, log }
  const deadline = performance.now() + startLimitMs
  const answer = (fault?: string) => ({ output: readFileSync(log, 'utf8'), fault })
  while (!existsSync(join(clone.dir, '.dev', 'env'))) {
    if (hasEnded(child)) return answer(`status ${child.exitCode ?? child.signalCode}`)
    if (performance.now() > deadline) return answer(`no .dev/env after ${startLimitMs / 1000} s`)
    if (run.signal?.aborted) return answer('interrupted')
    await sleep(50)
  }
  return answer()
}

const startLimitMs = 300_000

/** As in a new terminal: without what pnpm and the service's own settings would add, and with the ports of this run. */
const cleanEnvironment = (root: string, { scratch }: Clone, portBase: number): NodeJS.ProcessEnv => {
  const isForeign = (name: string): boolean => /^(ARS_|npm_|pnpm_|PNPM_SCRIPT|NODE_ENV$|INIT_CWD$|VITEST)/.test(name)
  const kept = Object.entries(process.env).filter(([name]) => !isForeign(name))
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => entry !== join(root, 'node_modules', '.bin'))
  return {
    ...Object.fromEntries(kept),
    PATH: path.join(delimiter),
    ARS_PORT_BASE: String(portBase),
    // A free port of the stack, for a program of a page.
    PORT: String(portBase + 18),
    // `ars login` must not replace the settings of the person who runs the guides.
    ARS_CONFIG: join(scratch, 'ars-config.json'),
    NO_COLOR: '1',
  }
}

const placeOf = ({ page, line }: Block): string => `${page}:${line}`

const indented = (text: string): string => text.trimEnd().replaceAll(/^/gm, '    ')

const report = (say: GuideOptions['say'], found: string[]): string[] => {
  for (const fault of found) say(`\n${fault.trimEnd()}`)
  return found
}
