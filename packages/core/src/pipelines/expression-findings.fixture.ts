import type { ExpressionFindings, ScopedExpression } from './definition-problems.ts'
import type { ValueType } from './value-type.ts'

/** A checker that knows chains of names and nothing else: it stands for the checker of CEL. `!!` is an expression that cannot be read. */
export const findingsOfNames = ({ source, variables, wanted }: ScopedExpression): ExpressionFindings => {
  const broken = source.indexOf('!!')
  if (broken >= 0) return { problems: [{ message: 'The expression cannot be read', position: broken }], references: [] }
  const references = [...source.matchAll(/(?<![\w."])[a-z_]\w*(?:\.\w+)*/g)].map(({ 0: chain, index }) => ({
    path: chain.split('.'),
    position: index,
  }))
  const problems = references.flatMap(({ path, position }) => {
    const type = typeAt({ kind: 'object', fields: variables }, path)
    if (typeof type === 'string') return [{ message: type, position }]
    const isWanted = wanted === 'any' || type.kind === 'dyn' || type.kind === wanted || source !== path.join('.')
    return isWanted ? [] : [{ message: `The expression must answer a ${wanted}`, position: 0 }]
  })
  return { problems, references }
}

const typeAt = (root: ValueType, path: readonly string[]): ValueType | string => {
  let type = root
  for (const name of path) {
    if (type.kind === 'dyn') return type
    if (type.kind !== 'object') return `There is no field ${name}`
    const next: ValueType | undefined = type.fields[name]
    if (!next) return `There is no field ${name}`
    type = next
  }
  return type
}
