import { readFileSync, statSync } from 'node:fs'
import { plans } from '@ars/contract'
import { ConfigError } from '@ars/platform/config'
import { accessBounds } from './bounds.ts'
import type { Plans } from './plan-limits.ts'
import { PlansFileError, parsePlansFile } from './plans-file.ts'

/** The plans of the operator's file. Undefined: those of the contract. */
export const readPlansFile = (path: string | undefined): Plans => {
  if (path === undefined) return plans
  try {
    return parsePlansFile(readText(path), path)
  } catch (error) {
    if (error instanceof PlansFileError) throw new ConfigError(`ARS_PLANS_FILE: ${error.message}`, { cause: error })
    throw error
  }
}

const readText = (path: string): string => {
  try {
    if (statSync(path).size <= accessBounds.plansFile.bytes) return readFileSync(path, 'utf8')
  } catch (error) {
    throw new PlansFileError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
  throw new PlansFileError(`${path} has over ${accessBounds.plansFile.bytes} bytes`)
}
