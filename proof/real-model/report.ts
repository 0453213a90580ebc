import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { repositoryDir } from '@ars/tools/dev/server'
import type { Finding, Stage } from './check.ts'
import { requirements } from './python-home.ts'
import { model, price } from './scene.ts'

export type Line = {
  name: string
  hasPassed: boolean
  seconds: number
  finding: Finding
}

/** For `docs/reports/e2e-model.md`. */
export const inMarkdown = (
  lines: readonly Line[],
  { size, seconds }: Pick<Stage, 'size'> & { seconds: number },
): string => {
  const failed = lines.filter(({ hasPassed }) => !hasPassed).length
  const metrics = lines.flatMap(({ finding }) => finding.metrics ?? [])
  return `# A real model

The whole service (Postgres, Redis, Restate, gateway, worker) with \`llm\` agents on llama.cpp's own OpenAI-compatible server and
SmolLM2-135M-Instruct, one thread, one slot, 2,048 tokens of context, from ${requirements.map((each) => `\`${each}\``).join(' and ')}.
The agents' model is \`${model}\` at $${price.input} and $${price.output} for a million tokens in and out. What the model says is judged by its shape,
never by its words.

Made by \`pnpm real-model${size === 'ci' ? ' --ci' : ''} --report\`, version ${version()}, on ${cpus().length} cores (${cpus()[0]?.model.trim()}), in ${seconds.toFixed(0)} s:
**${lines.length - failed} passed, ${failed} failed**.

| Check | | s | Found |
|---|---|---|---|
${lines.map(({ name, hasPassed, seconds: took, finding }) => `| ${name} | ${hasPassed ? 'holds' : 'BROKEN'} | ${took.toFixed(1)} | ${finding.says.split('\n')[0]} |`).join('\n')}

| Metric | |
|---|---|
${metrics.map(([what, value]) => `| ${what} | ${value} |`).join('\n')}
`
}

const version = (): string =>
  (JSON.parse(readFileSync(join(repositoryDir, 'package.json'), 'utf8')) as { version: string }).version
