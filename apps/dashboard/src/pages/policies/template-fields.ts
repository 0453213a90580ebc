import type { PolicyTemplate, PolicyTemplateParam } from '@agent-run-service/sdk'

/** The parameters of a template as they are typed: lists as lines, numbers as text. */
export type TemplateFields = Readonly<Record<string, unknown>>

export const fieldsOfTemplate = ({ params }: PolicyTemplate): TemplateFields =>
  Object.fromEntries(params.map((param) => [param.name, fieldOf(param)]))

const fieldOf = ({ type, values, default: given }: PolicyTemplateParam): unknown => {
  if (type === 'string_list') return values === null ? textsOf(given).join('\n') : textsOf(given)
  if (type === 'number') return given === null || given === undefined ? '' : String(given)
  if (type === 'boolean') return given === true
  if (type === 'object') return given ?? undefined
  return given ?? ''
}

/** The faults by the name of the parameter. */
export const checkTemplate = (template: PolicyTemplate, fields: TemplateFields): Partial<Record<string, string>> =>
  Object.fromEntries(
    template.params.flatMap((param) => {
      const fault = faultOf(param, sentValue(param, fields[param.name]))
      return fault === undefined ? [] : [[param.name, fault]]
    }),
  )

const faultOf = ({ type, required, values }: PolicyTemplateParam, value: unknown): string | undefined => {
  if (type === 'number' && value !== undefined && !(Number(value) >= 0)) return 'Enter a number that is not negative.'
  if (type === 'object' && value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value)))
    return 'Enter a JSON object.'
  if (values !== null && value === undefined) return 'Choose at least one.'
  if (!required || value !== undefined) return undefined
  return type === 'string_list' ? 'Enter at least one, one per line.' : 'Enter a value.'
}

/** The parameters to send. An empty one is left out, so that its default holds. */
export const paramsOf = (template: PolicyTemplate, fields: TemplateFields): Record<string, unknown> =>
  Object.fromEntries(
    template.params.flatMap((param) => {
      const value = sentValue(param, fields[param.name])
      return value === undefined ? [] : [[param.name, value]]
    }),
  )

const sentValue = ({ type, default: given }: PolicyTemplateParam, field: unknown): unknown => {
  if (type === 'string_list') {
    // A default may end in a space, such as `sudo `. In a typed line a space at the end is a slip.
    const known = textsOf(given)
    const lines = Array.isArray(field) ? textsOf(field) : String(field ?? '').split('\n')
    const items = lines.map((line) => (known.includes(line) ? line : line.trim())).filter((line) => line !== '')
    return items.length === 0 ? undefined : items
  }
  if (type === 'number') return String(field ?? '').trim() === '' ? undefined : Number(field)
  if (type === 'boolean' || type === 'object') return field
  return String(field ?? '').trim() === '' ? undefined : String(field).trim()
}

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
