import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AgentRunService, type Fetch } from '@agent-run-service/sdk'
import { repositoryDir } from '@ars/tools/dev/server'
import { Agent, fetch } from 'undici'
import { examplePlays } from './example-plays.ts'
import { type Play, type Programs, programAt } from './program-at.ts'
import { plays } from './program-plays.ts'
import type { Service } from './sdk.ts'

const source = join(repositoryDir, 'examples/programs')
const maxLines = 39
const maxExampleLines = 100

const programNames = (): string[] =>
  readdirSync(source, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted()

/** Copies the programs of a language into a folder of a customer. A program that is too long is an error. */
export const copyPrograms = (to: string, file: 'main.ts' | 'main.py' | 'main.go'): readonly string[] => {
  for (const name of programNames()) {
    const lines = linesOfCode(readFileSync(join(source, name, file), 'utf8'))
    if (lines > maxLines) throw new Error(`${name}/${file} has ${lines} lines of code, at most ${maxLines} are allowed`)
    for (const each of [file, 'page.html'])
      if (existsSync(join(source, name, each))) cpSync(join(source, name, each), join(to, name, each))
  }
  return programNames()
}

/** Copies one of the longer examples. */
export const copyExample = (name: string, to: string): void => {
  const folder = join(repositoryDir, 'examples', name)
  for (const file of readdirSync(folder).filter((each) => !each.endsWith('.md'))) {
    const lines = readFileSync(join(folder, file), 'utf8').trimEnd().split('\n').length
    if (lines > maxExampleLines)
      throw new Error(`${name}/${file} has ${lines} lines, at most ${maxExampleLines} are allowed`)
    cpSync(join(folder, file), join(to, name, file))
  }
}

export const runExample = async (programs: Programs, name: string): Promise<string> => {
  await play(programs, name, examplePlays)
  return `${name} works from end to end`
}

/** Lines that are neither empty nor a comment. */
const linesOfCode = (text: string): number =>
  text.split('\n').filter((line) => !/^\s*(\/\/.*|#.*|""".*"""\s*)?$/.test(line)).length

/** Plays each program against the service, and looks at what it prints, shows and does. */
export const runPrograms = async (programs: Programs): Promise<string> => {
  const names = programNames()
  if (names.join() !== Object.keys(plays).toSorted().join())
    throw new Error('Each program needs a play in program-plays.ts')
  for (const name of names) await play(programs, name, plays)
  return `${names.length} programs do what they say`
}

const play = async (programs: Programs, name: string, all: Readonly<Record<string, Play>>): Promise<void> => {
  const program = programAt(programs, name, clientOf(programs.service))
  try {
    await all[name]?.(program)
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : error}`, { cause: error })
  } finally {
    program.killAll()
  }
}

const clientOf = ({ apiKey, baseUrl, caFile }: Service): AgentRunService => {
  const dispatcher = new Agent({ connect: { ca: readFileSync(caFile) } })
  const trusting = ((url: string, init: RequestInit) =>
    fetch(url, { ...init, dispatcher } as Parameters<typeof fetch>[1])) as unknown as Fetch
  return new AgentRunService({ apiKey, baseUrl, fetch: trusting })
}
