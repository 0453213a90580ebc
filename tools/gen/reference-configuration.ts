import { fileVariableName, variableName } from '@ars/platform/config'
import { z } from 'zod'
import { pageHead, table } from './markdown.ts'

/** The page of settings: a row for each field of the one config object. */
export const configurationPage = (config: z.ZodObject): string => {
  const { properties = {}, required = [] } = z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' })
  const rows = Object.entries(properties as Record<string, Setting>).map(([field, setting]) => {
    if (!setting.description)
      throw new Error(`The setting ${field} has no description; say with .describe() what it is for`)
    const file = fileVariableName(config, field)
    const secret = setting.secret
      ? ` **Secret**${file === undefined ? '' : `; \`${file}\` may name a file that holds it`}.`
      : ''
    return [
      `\`${variableName(field)}\``,
      valueWords(setting),
      defaultWords(setting, required.includes(field)),
      setting.description + secret,
    ]
  })
  return `${pageHead('Configuration', '`packages/core/src/config.ts`')}
The service reads settings from environment variables at start. An invalid value, or a variable that begins with \`ARS_\` and is
not in this list, stops the start; the message names the variable. Secrets are never logged. A secret
can be read from a file (at most 64 KiB; spaces and newlines around it are removed): set the variable with \`_FILE\` at the end of its name instead.

${table(['Variable', 'Value', 'Default', 'Meaning'], rows)}
`
}

type Setting = {
  description?: string
  secret?: boolean
  type?: string
  format?: string
  pattern?: string
  enum?: readonly string[]
  minimum?: number
  maximum?: number
  default?: unknown
}

const valueWords = (setting: Setting): string => {
  if (setting.enum) return setting.enum.map((value) => `\`${value}\``).join(', ')
  if (setting.type === 'integer' || setting.type === 'number') {
    const kind = setting.type === 'integer' ? 'whole number' : 'number'
    const bounds = [setting.minimum, setting.maximum].filter((bound) => bound !== undefined).map(numberWords)
    return bounds.length === 2 ? `${kind}, ${bounds.join(' to ')}` : kind
  }
  if (setting.pattern) return `text like \`${setting.pattern}\``
  return setting.format === 'uri' ? 'address' : 'text'
}

const defaultWords = (setting: Setting, isRequired: boolean): string => {
  if (setting.default !== undefined) return `\`${setting.default}\``
  return isRequired ? 'required' : 'none'
}

/** 65,535 in every locale. */
const numberWords = (value: number): string => String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',')
