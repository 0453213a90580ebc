export { recordEvent } from './event.store.ts'
