import { z } from 'zod'
import { ApiKeyId, UserId } from './ids.ts'
import { scopes } from './scopes.ts'

/** Fields that several resources have. */

export const JsonObject = z.record(z.string(), z.unknown())

export const createdAt = z.iso.datetime().meta({ description: 'When it was created.' })

export const KeyOrPerson = z.union([ApiKeyId, UserId]).meta({
  description: 'The id of an API key (`key_…`) or of a person (`usr_…`).',
})

export const ScopeName = z.enum(scopes).meta({ id: 'Scope', description: 'A permission: resource and kind of access.' })

export const InputSchema = JsonObject.nullable().meta({
  description: 'JSON Schema that the input of a run must match.',
})
export const OutputSchema = JsonObject.nullable().meta({
  description: 'JSON Schema that the output of a run must match.',
})
