import { type PolicyTemplate, RuleInput } from '@ars/contract'
import { Fault } from '../../fault.ts'
import { guardrailsBounds } from '../bounds.ts'
import { type Template, type TemplateParam, type TemplateValues, templates } from './template.ts'

export const findTemplate = (key: string): Template | null => templates.find((each) => each.key === key) ?? null

export const getTemplate = (key: string): Template => {
  const template = findTemplate(key)
  if (!template) throw new Fault('not_found', `No policy template ${key.slice(0, 100)}`)
  return template
}

/** The rules of a template with these parameters, and all parameters with their defaults. */
export const rulesOfTemplate = (
  template: Template,
  given: Readonly<Record<string, unknown>>,
): { rules: RuleInput[]; params: Record<string, unknown> } => {
  const unknown = Object.keys(given).find((name) => !template.params.some((param) => param.name === name))
  if (unknown !== undefined) refuse(unknown, `is no parameter of ${template.key}`)
  const params = Object.fromEntries(template.params.map((param) => [param.name, paramValue(param, given[param.name])]))
  const rules = template.rules(readerOf(params)).map((rule) => {
    const parsed = RuleInput.safeParse(rule)
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    const field = issue?.path.map(String).find((name) => Object.hasOwn(params, name))
    return refuse(field ?? null, issue?.message ?? 'does not fit')
  })
  return { rules, params }
}

export const toWireTemplate = ({ key, name, description, params, words }: Template): PolicyTemplate => ({
  id: key,
  object: 'policy_template',
  key,
  name,
  description,
  params: params.map((param) => ({
    name: param.name,
    type: param.type,
    description: param.description,
    required: param.default === undefined,
    default: param.default ?? null,
    values: param.values ? [...param.values] : null,
  })),
  rules: [...words],
})

const refuse = (name: string | null, message: string): never => {
  const param = name === null ? 'params' : `params.${name.slice(0, 100)}`
  throw new Fault('policy_invalid', `${param} ${message}`, { param, details: [{ param, message }] })
}

const paramValue = (param: TemplateParam, given: unknown): unknown => {
  const value = given ?? param.default
  if (value === undefined) return refuse(param.name, 'is required')
  if (value === null) return null
  if (!fits[param.type](value)) return refuse(param.name, expected[param.type])
  const { values } = param
  if (values && !(value as string[]).every((each) => values.includes(each)))
    return refuse(param.name, `must be values of ${values.join(', ')}`)
  if (param.name === 'field' && !fieldPath.test(value as string))
    return refuse(param.name, 'must be names of letters, digits and _, separated by dots')
  return value
}

const maxItems = guardrailsBounds.paramItems.count
const maxItemChars = guardrailsBounds.paramItem.chars
const maxTextChars = guardrailsBounds.paramText.chars
const maxNumber = guardrailsBounds.paramNumber.count
const fieldPath = /^[A-Za-z_][A-Za-z0-9_]{0,63}(\.[A-Za-z_][A-Za-z0-9_]{0,63}){0,4}$/

const fits: Readonly<Record<TemplateParam['type'], (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string' && value.length >= 1 && value.length <= maxTextChars,
  string_list: (value) =>
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= maxItems &&
    value.every((item) => typeof item === 'string' && item.length >= 1 && item.length <= maxItemChars),
  // CEL reads no exponents here.
  number: (value) => typeof value === 'number' && value >= 0 && value <= maxNumber && !String(value).includes('e'),
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

const expected: Readonly<Record<TemplateParam['type'], string>> = {
  string: `must be a text of 1 to ${maxTextChars} characters`,
  string_list: `must be a list of 1 to ${maxItems} texts of 1 to ${maxItemChars} characters`,
  number: `must be a number from 0 to ${maxNumber}`,
  boolean: 'must be true or false',
  object: 'must be a JSON object',
}

const readerOf = (params: Readonly<Record<string, unknown>>): TemplateValues => ({
  text: (name) => params[name] as string,
  optionalText: (name) => (params[name] as string | null) ?? null,
  list: (name) => [...(params[name] as string[])],
  number: (name) => params[name] as number,
  object: (name) => params[name] as Record<string, unknown>,
})
