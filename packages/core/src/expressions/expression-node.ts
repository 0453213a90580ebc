import type { parse } from '@bufbuild/cel'

/** A node of the syntax tree of CEL. */
export type Expr = ReturnType<typeof parse>['expr']

/** The parts of a node, in the order of the source as far as it matters. */
export const childrenOf = ({ exprKind }: Expr): Expr[] => {
  switch (exprKind.case) {
    case 'callExpr':
      return [exprKind.value.target, ...exprKind.value.args].filter(isThere)
    case 'selectExpr':
      return [exprKind.value.operand].filter(isThere)
    case 'listExpr':
      return exprKind.value.elements
    case 'structExpr':
      return exprKind.value.entries
        .flatMap(({ keyKind, value }) => [keyKind.case === 'mapKey' ? keyKind.value : undefined, value])
        .filter(isThere)
    case 'comprehensionExpr': {
      const { iterRange, accuInit, loopCondition, loopStep, result } = exprKind.value
      return [iterRange, accuInit, loopCondition, loopStep, result].filter(isThere)
    }
    default:
      return []
  }
}

const isThere = (expr: Expr | undefined): expr is Expr => expr !== undefined

// A loop and no recursion: nothing is known about the depth yet.
export const nodesOf = (root: Expr): number => {
  const left = [root]
  let size = 0
  for (let expr = left.pop(); expr; expr = left.pop()) {
    size++
    left.push(...childrenOf(expr))
  }
  return size
}
