import { readFileSync } from 'node:fs'
import https from 'node:https'

// The control: the gateway's own answer, word for word, to whatever is asked. No key, no limit, no database.
const { BARE_PORT: port, BARE_CERT_FILE: certFile, BARE_KEY_FILE: keyFile, BARE_ANSWER: answer } = process.env
if (!port || !certFile || !keyFile || !answer) throw new Error('the control was not told what to answer')
const { headers, body } = JSON.parse(answer) as { headers: Record<string, string>; body: string }

https
  .createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, (_request, response) => {
    response.writeHead(200, headers)
    response.end(body)
  })
  .listen({ host: '127.0.0.1', port: Number(port) }, () => process.send?.('ready'))
process.on('disconnect', () => process.exit(0))
