export { createInputTemplates, type InputTemplates } from './input-template.service.ts'
export { inputTemplateOf, openingOf, plainText } from './opening.ts'
