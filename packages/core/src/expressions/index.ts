export {
  checkExpression,
  type DeclaredExpression,
  type ExpressionProblem,
} from './expression-check.ts'
export { compileExpression, type Evaluated } from './expression-program.ts'
export type { Variables } from './expression-type.ts'
export {
  type ExpressionTexts,
  expressionTexts,
  type JsonPath,
  type JsonValue,
  parseTemplate,
  placeholderText,
  readExpressionText,
  renderTemplate,
  templateLimits,
} from './template.ts'
