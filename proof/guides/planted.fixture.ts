import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type GuideOptions, runGuides } from './guides.ts'

export const block = (code: string, annotation = ''): string => `\`\`\`sh${annotation}\n${code}\n\`\`\`\n`

/** A folder that goes with the test. */
export const scratch = (name: string): string => {
  const dir = mkdtempSync(join(tmpdir(), name))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** A repository whose `pnpm dev` starts no service; everything else is as in ours. */
export const plant = (pages: Readonly<Record<string, string>>): string => {
  const root = scratch('planted-')
  const dev = 'mkdir .dev && echo "stack=$$ pnpm=$PPID" >.dev/env && exec sleep 600'
  const files = {
    'README.md': block('pnpm dev', ' background'),
    'package.json': JSON.stringify({ name: 'planted', private: true, scripts: { dev } }),
    ...pages,
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return root
}

export const run = async (pages: Readonly<Record<string, string>>, options: Partial<GuideOptions> = {}) => {
  const lines: string[] = []
  const failures = await runGuides({
    root: plant(pages),
    say: (line) => lines.push(line),
    ...options,
  })
  return { failures, lines, page: (file: string) => lines.find((line) => line.includes(`  ${file} `)) ?? '' }
}
