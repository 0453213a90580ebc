export { createModels, type ModelParts, type ModelService } from './model.service.ts'
export type {
  Ask,
  Finish,
  Message,
  ModelReply,
  ModelRequest,
  Price,
  ToolCall,
  ToolResult,
  ToolSpec,
  Usage,
} from './model.ts'
export { addUsage, costOf, ModelFailure, noUsage } from './model.ts'
export { ModelsFileError } from './models-file.ts'
export { decideRetry, retryAfterMsOf, retryLimits } from './retry.ts'
export { createSchemas, type JsonSchema, type Schemas, schemaLimits } from './schema.service.ts'
export { simulatedModels } from './simulation.ts'
