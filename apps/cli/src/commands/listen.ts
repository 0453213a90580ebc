import { type Command, InvalidArgumentError } from 'commander'
import { withExamples } from '../describe.ts'
import { CommandError } from '../exit-code.ts'
import { commaList, wholeNumber } from '../list.ts'
import { type Heard, listen, type Tally } from '../listen.ts'
import { readMoment, timeOfDay } from '../moment.ts'
import { acting, openClient, type Session } from '../session.ts'
import { readStored, writeStored } from '../settings.ts'
import { newSecret } from '../signature.ts'
import { tellingFetch } from '../telling-fetch.ts'
import { statusStyle, type Terminal } from '../terminal.ts'
import { escapeUnfit, oneLine } from '../text.ts'

/** The timeout of an endpoint for a delivery. */
const usualTimeoutSeconds = 10

export const addListen = (program: Command): void => {
  withExamples(
    program
      .command('listen')
      .description('forward events to a program on this computer, signed like webhook deliveries; no tunnel needed')
      .option('--forward-to <url>', 'where to POST each event', readUrl)
      .option('--events <list>', 'only these types, separated by commas', commaList)
      .option('--since <time>', 'start in the past: 10m, 2h or a date and time')
      .option('--secret <secret>', 'sign with this secret instead of the one in the settings file')
      .option(
        '--timeout <seconds>',
        `response timeout of the program in seconds (default ${usualTimeoutSeconds})`,
        wholeNumber,
      )
      .option('--print', 'print each event')
      .action(acting(run)),
    'ars listen --forward-to http://localhost:3000/hook',
    'ars listen --forward-to http://localhost:3000/hook --events run.completed,run.failed --since 10m',
    'ars listen --print',
  )
}

type Options = {
  forwardTo?: URL
  events?: string[]
  since?: string
  secret?: string
  timeout?: number
  print?: boolean
}

const run = async ({ terminal, settings, signal }: Session, options: Options) => {
  const { forwardTo = null, events, print = false } = options
  if (!forwardTo && !print) {
    throw new CommandError('No destination for the events', {
      advice: 'Add --forward-to <url>, or --print to only print them.',
    })
  }
  // Parsed first, so that an invalid time is reported before anything is written or sent.
  const since = options.since === undefined ? undefined : readMoment(options.since, Date.now())
  const client = openClient(settings, { fetch: tellingFetch(terminal, signal) })
  const secret = options.secret ?? keptSecret()
  const tally = await listen({
    client,
    forwardTo,
    secret,
    types: events === undefined || events.includes('*') ? undefined : events.join(','),
    since,
    timeoutMs: (options.timeout ?? usualTimeoutSeconds) * 1_000,
    signal,
    onReady: () => {
      if (!forwardTo) terminal.note('Ready. Press Ctrl-C to stop.')
      else tellReady(terminal, { forwardTo, secret })
    },
    onEvent: (heard) => tellEvent(terminal, heard, print),
  })
  terminal.note(summary(tally, forwardTo !== null))
  return undefined
}

/** Created once and stored, so that the local program needs to be configured only once. */
const keptSecret = (): string => {
  const { listen_secret: kept } = readStored()
  if (kept) return kept
  const secret = newSecret()
  writeStored({ listen_secret: secret })
  return secret
}

const tellReady = (terminal: Terminal, { forwardTo, secret }: { forwardTo: URL; secret: string }): void => {
  if (forwardTo.protocol === 'http:' && !isLocal(forwardTo)) {
    terminal.note(`Warning: ${forwardTo.host} is another computer, and plain HTTP is not encrypted.`)
  }
  terminal.note(`Signing secret (does not change): ${secret}`)
  terminal.note(`Ready. Forwarding events to ${forwardTo.href}. Press Ctrl-C to stop.`)
}

const isLocal = ({ hostname }: URL): boolean => /^(localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname)

const tellEvent = (terminal: Terminal, { event, forwarded }: Heard, print: boolean): void => {
  const facts = {
    event_id: event.id,
    event_type: event.type,
    created_at: event.created_at,
    http_status: forwarded?.status ?? null,
    duration_ms: forwarded?.durationMs ?? null,
    error: forwarded?.error ?? null,
    ...(print ? { event } : {}),
  }
  terminal.each(facts, () => {
    const line = `${timeOfDay(event.created_at)}  ${event.type.padEnd(19)}  ${event.id}${outcome(terminal, forwarded)}`
    return print ? `${line}\n${escapeUnfit(JSON.stringify(event, null, 2))}` : line
  })
}

const outcome = (terminal: Terminal, forwarded: Heard['forwarded']): string => {
  if (!forwarded) return ''
  const { status, durationMs, error } = forwarded
  if (status === null) return `  → ${terminal.paint('bad', oneLine(error ?? ''))}`
  return `  → ${terminal.paint(statusStyle(String(status)), String(status))}  ${durationMs} ms`
}

const summary = ({ seen, acknowledged, failed }: Tally, isForwarded: boolean): string => {
  const events = `${seen} ${seen === 1 ? 'event' : 'events'}`
  return isForwarded ? `\n${events} forwarded: ${acknowledged} acknowledged, ${failed} failed.` : `\n${events} shown.`
}

const readUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new InvalidArgumentError('Use a URL such as http://localhost:3000/hook.')
}
