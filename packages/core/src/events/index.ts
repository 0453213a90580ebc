export { eventApi } from './event.api.ts'
export { createEvents, type EventService } from './event.service.ts'
export { recordEvent } from './event.store.ts'
export { channelOf as eventChannelOf } from './event-feed.service.ts'
