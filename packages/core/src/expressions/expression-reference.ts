import { childrenOf, type Expr } from './expression-node.ts'

/** The fields that an expression reads by name, such as `["steps", "first", "output"]`, and where the first name stands. */
export type ExpressionReference = { path: string[]; position: number }

type PositionOf = (id: bigint | undefined) => number | undefined

/** What the expression reads of its variables, in the order of the source. The variables of its loops are not among them. */
export const referencesIn = (root: Expr, positionOf: PositionOf): ExpressionReference[] => {
  const found: ExpressionReference[] = []

  const visit = (expr: Expr, hidden: ReadonlySet<string>): void => {
    const chain = chainOf(expr)
    if (chain) {
      const [variable = ''] = chain.path
      if (!hidden.has(variable)) found.push({ path: chain.path, position: positionOf(chain.root.id) ?? 0 })
      return
    }
    const { exprKind } = expr
    if (exprKind.case !== 'comprehensionExpr') {
      for (const child of childrenOf(expr)) visit(child, hidden)
      return
    }
    const { iterVar, accuVar, iterRange, accuInit } = exprKind.value
    const inside = new Set([...hidden, iterVar, accuVar])
    for (const child of childrenOf(expr)) visit(child, child === iterRange || child === accuInit ? hidden : inside)
  }

  visit(root, new Set())
  return found.sort((a, b) => a.position - b.position)
}

/** The names from a variable on. Undefined: the node is no such chain, or goes on after one. */
const chainOf = (expr: Expr): { root: Expr; path: string[] } | undefined => {
  const { exprKind } = expr
  if (exprKind.case === 'identExpr') return { root: expr, path: [exprKind.value.name] }
  const part = partOf(expr)
  const chain = part && chainOf(part.of)
  return part && chain && { root: chain.root, path: [...chain.path, part.name] }
}

/** `a.b` and `a["b"]`. */
const partOf = ({ exprKind }: Expr): { of: Expr; name: string } | undefined => {
  if (exprKind.case === 'selectExpr') {
    const { operand, field } = exprKind.value
    return operand && { of: operand, name: field }
  }
  if (exprKind.case !== 'callExpr' || exprKind.value.function !== '_[_]') return
  const [of, by] = exprKind.value.args
  const constant = by?.exprKind.case === 'constExpr' ? by.exprKind.value.constantKind : undefined
  return of && constant?.case === 'stringValue' ? { of, name: constant.value } : undefined
}
