import { z } from 'zod'
import { ApiKeyId, UserId } from './ids.ts'
import { limits } from './limits.ts'
import { scopes } from './scopes.ts'

/** Fields that several resources have. */

export const JsonObject = z.record(z.string(), z.unknown())

export const createdAt = z.iso.datetime().meta({ description: 'When it was created.' })

export const KeyOrPerson = z.union([ApiKeyId, UserId]).meta({
  description: 'The id of an API key (`key_…`) or of a person (`usr_…`).',
})

// Nothing that is kept as text can hold it.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is the one that is meant
export const withoutNul = /^[^\u0000]*$/

export const PlainText = z.string().regex(withoutNul, 'must not contain the character U+0000')

/** The same in a filter, as one pattern. */
export const CreatorId = z
  .string()
  .regex(/^(key|usr)_[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'must be the id of an API key (key_…) or of a person (usr_…)')
  .meta({ examples: ['key_01kf3xw0fqe1vrr9m8sdv2wbx4'] }) as unknown as z.ZodType<ApiKeyId | UserId, ApiKeyId | UserId>

export const ScopeName = z.enum(scopes).meta({ id: 'Scope', description: 'A permission: resource and kind of access.' })

export const InputSchema = JsonObject.nullable().meta({
  description: 'JSON Schema of the input.',
})
export const OutputSchema = JsonObject.nullable().meta({
  description: 'JSON Schema of the output.',
})

/** The metadata of a thing that its owner can change, in a request. */
export const Metadata = z
  .record(z.string().min(1).max(limits.metadataKeyChars), z.string().max(limits.metadataValueChars))
  .refine((given) => Object.keys(given).length <= limits.metadataKeys, `must have at most ${limits.metadataKeys} keys`)
  .meta({
    description: 'Your own key-value pairs.',
    maxProperties: limits.metadataKeys,
    propertyNames: { minLength: 1, maxLength: limits.metadataKeyChars },
  })

export const MetadataPatch = z
  .record(z.string().min(1).max(limits.metadataKeyChars), z.string().max(limits.metadataValueChars).nullable())
  .nullable()
  .meta({
    description: 'Your own key-value pairs. They are merged; null removes a key.',
    propertyNames: { minLength: 1, maxLength: limits.metadataKeyChars },
  })
