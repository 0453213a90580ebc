// Receives webhooks: register its public HTTPS address with `ars webhooks create`, and pass the secret that it prints.
import { createServer } from 'node:http'
import { webhookHandler } from '@agent-run-service/sdk'

const receive = webhookHandler({ secret: process.env.WEBHOOK_SECRET ?? '' }, (event) => {
  switch (event.type) {
    case 'run.completed':
      console.log('completed', event.data.id, event.data.output_text)
      break
    case 'run.failed':
      console.log('failed', event.data.id, event.data.error?.code)
      break
    default:
      console.log(event.type, event.id)
  }
})

createServer(receive.node).listen(Number(process.env.PORT ?? 8080))
