import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { repositoryDir } from '../dev/server.ts'
import type { Finding, Stage } from './check.ts'
import { requirements } from './python-home.ts'
import { model, price } from './scene.ts'

export interface Line {
  name: string
  hasPassed: boolean
  seconds: number
  finding: Finding
}

/** For `docs/reports/e2e-model.md`. */
export function inMarkdown(
  lines: readonly Line[],
  { size, seconds }: Pick<Stage, 'size'> & { seconds: number },
): string {
  const failed = lines.filter(({ hasPassed }) => !hasPassed).length
  const figures = lines.flatMap(({ finding }) => finding.figures ?? [])
  return `# A real model

The whole service (Postgres, Redis, Restate, gateway, worker) with \`llm\` agents on llama.cpp's own OpenAI-compatible server and
SmolLM2-135M-Instruct, one thread, one slot, 2,048 tokens of context, from ${requirements.map((each) => `\`${each}\``).join(' and ')}.
The agents' model is \`${model}\` at $${price.input} and $${price.output} for a million tokens in and out. What the model says is judged by its shape,
never by its words.

Made by \`pnpm e2e:model${size === 'ci' ? ' --ci' : ''} --report\`, version ${version()}, on ${cpus().length} cores (${cpus()[0]?.model.trim()}), in ${seconds.toFixed(0)} s:
**${lines.length - failed} passed, ${failed} failed**.

| Check | | s | Found |
|---|---|---|---|
${lines.map(({ name, hasPassed, seconds: took, finding }) => `| ${name} | ${hasPassed ? 'holds' : 'BROKEN'} | ${took.toFixed(1)} | ${finding.says.split('\n')[0]} |`).join('\n')}

| Figure | |
|---|---|
${figures.map(([what, value]) => `| ${what} | ${value} |`).join('\n')}
`
}

function version(): string {
  return (JSON.parse(readFileSync(join(repositoryDir, 'package.json'), 'utf8')) as { version: string }).version
}
