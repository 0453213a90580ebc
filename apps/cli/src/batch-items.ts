import type { BatchItem } from '@agent-run-service/sdk'
import { CommandError } from './exit-code.ts'
import { isRecord } from './record.ts'
import { readTextFile } from './text-file.ts'

/** The items of a batch from a file, or from stdin for `-`: a JSON list, or JSON Lines. */
export const readBatchItems = async (path: string): Promise<BatchItem[]> => {
  const { file, source } = await readTextFile(path)
  return parseBatchItems(file, source)
}

export const parseBatchItems = (file: string, source: string): BatchItem[] => {
  const items = source.trimStart().startsWith('[') ? listIn(file, source) : linesIn(file, source)
  if (items.length === 0) throw new CommandError(`${file} has no items`)
  return items.map(itemOf)
}

/** An object with `input`, and with `custom_id` or without, is an item. Any other object is the input of one. */
const itemOf = (value: Record<string, unknown>): BatchItem => {
  const { input, custom_id, ...others } = value
  const isItem = isRecord(input) && Object.keys(others).length === 0
  return isItem && (custom_id === undefined || typeof custom_id === 'string') ? (value as BatchItem) : { input: value }
}

const listIn = (file: string, source: string): Record<string, unknown>[] => {
  const list = parsed(file, source) as unknown[]
  return list.map((item, at) => required(item, `${file}: item ${at}`))
}

/** Empty lines are left out. */
const linesIn = (file: string, source: string): Record<string, unknown>[] =>
  source.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    const place = `${file}:${at + 1}`
    return [required(parsed(place, line), place)]
  })

const parsed = (place: string, source: string): unknown => {
  try {
    return JSON.parse(source)
  } catch (error) {
    throw new CommandError(`${place} is not JSON: ${(error as Error).message}`, {
      advice: 'A file of a batch is a list of JSON objects, or has one JSON object on each line.',
      cause: error,
    })
  }
}

const required = (item: unknown, place: string): Record<string, unknown> => {
  if (isRecord(item)) return item
  throw new CommandError(`${place} must be a JSON object: an item, or the input of a run`)
}
