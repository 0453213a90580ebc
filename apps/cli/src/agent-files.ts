import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { CommandError } from './exit-code.ts'
import { isRecord } from './record.ts'

/** An agent as a file: the body of `POST /agents/custom`. Its name identifies it. */
export type AgentFile = { file: string; name: string; fields: Readonly<Record<string, unknown>> }

/** One file, or all YAML and JSON files of a folder in the order of their names. */
export const readAgentFiles = (path: string): AgentFile[] => {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw new CommandError(`${path} does not exist`)
  const files = stat.isDirectory()
    ? readdirSync(path)
        .filter((name) => ['.yaml', '.yml', '.json'].includes(extname(name)))
        .sort()
        .map((name) => join(path, name))
    : [path]
  if (files.length === 0) throw new CommandError(`${path} contains no YAML or JSON file`)
  const agents = files.map(readAgentFile)
  const twice = agents.find((agent, at) => agents.findIndex(({ name }) => name === agent.name) !== at)
  if (twice) throw new CommandError(`Two files have an agent with the name ${twice.name}`)
  return agents
}

const readAgentFile = (file: string): AgentFile => {
  let value: unknown
  try {
    value = parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`, { cause: error })
  }
  if (!isRecord(value)) {
    throw new CommandError(`${file} must contain an object with name and config`)
  }
  const { name } = value
  if (typeof name !== 'string' || name === '') throw new CommandError(`${file}: name is missing`)
  return { file, name, fields: value }
}

/** The fields of the file whose value at the service differs. Fields that the file leaves out are not compared. */
export const changedFields = (
  wanted: Readonly<Record<string, unknown>>,
  actual: Readonly<Record<string, unknown>>,
): string[] => Object.keys(wanted).filter((name) => !isAboutRelease(name) && !isContained(wanted[name], actual[name]))

/** `rollout` says how a change is released. The agent does not hold it. */
const isAboutRelease = (name: string): boolean => name === 'rollout'

/** The service adds defaults to objects, so an object of the file may be a part of the service's. */
const isContained = (wanted: unknown, actual: unknown): boolean => {
  if (!isRecord(wanted) || !isRecord(actual)) return isDeepStrictEqual(wanted, actual)
  return Object.keys(wanted).every((name) => isContained(wanted[name], actual[name]))
}
