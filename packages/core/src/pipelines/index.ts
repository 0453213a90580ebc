export { claimItems, itemFields, itemFieldsOf, type PipelineItemRef } from './run/claimed-item.sql.ts'
