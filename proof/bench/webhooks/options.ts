import { type BenchSettings, benchSettings, commonOptions, parseOptions, wholeNumber } from '../../lab/options.ts'
import { peersCache } from '../../lab/peers/install.ts'

export type WebhooksOptions = BenchSettings & {
  /** The subject on one core, its clients and receivers on another. */
  isPinned: boolean
  /** Each belongs to a different organisation and has ten requests in flight, the maximum for an endpoint. */
  endpoints: number
  /** Compares with Outpost instead, which is installed in `cache`. */
  isOutpost: boolean
  cache: string
}

export const webhooksHelp = `pnpm bench webhooks: deliveries a second against a bare undici loop with HMAC.

Starts a stack (Postgres, Redis, Restate, a worker), a receiver over TLS that acknowledges everything, and the
control, a loop that signs the same bytes and sends them to the same receiver over as many kept-alive connections; lets
both send as fast as they can, in rounds of control, service, service, control; then measures how late first attempts are
at half of the rate that was reached. Takes about 10 minutes.
Stop other programs first. Events are written into the table as the end of a run writes them, never more than two thousand ahead.

  --quick             2 rounds of 3 s windows: a first look
  --endpoints <n>     how many, ten requests at once for each (default 4)
  --unpinned          do not pin processes to cores
  --rounds <n>        rounds that must count (default 5)
  --seconds <n>       length of each of a round's four windows (default 10)
  --patience <s>      how long a round waits for other programs on the computer to become quiet (default 60)
  --profile           instead: the worker under the CPU profiler, and what each statement costs
  --outpost           instead: against Outpost v1.1.0, which it installs; needs Go 1.26 and RabbitMQ (\`apt-get install
                      rabbitmq-server\`), and takes 10 minutes more the first time
  --cache <path>      where Outpost is installed (default .dev/peers)
  --port-base <n>     first of 20 ports (default: a free block)
  --dir <path>        where the stack's data lies; emptied first (default .dev/bench-webhooks)
`

export const readWebhooksOptions = (args: readonly string[]): WebhooksOptions => {
  const { values } = parseOptions(args, options, webhooksHelp)
  const isOutpost = values.outpost ?? false
  const defaults = { quickSeconds: '3', leadInMs: 2000 }
  return {
    ...benchSettings('webhooks', args, values, defaults),
    isOutpost,
    cache: peersCache(values.cache),
    isPinned: !values.unpinned,
    endpoints: wholeNumber('endpoints', values.endpoints ?? '4'),
  }
}

const options = {
  ...commonOptions,
  profile: { type: 'boolean' },
  outpost: { type: 'boolean' },
  cache: { type: 'string' },
  unpinned: { type: 'boolean' },
  endpoints: { type: 'string' },
} as const
