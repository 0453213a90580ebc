import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBinary } from '@ars/tools/dev/parts/binary'
import { until } from '../../server/test/app.ts'

/** A page in a real Firefox. Playwright drives only its own build, so this one speaks WebDriver BiDi. */
export type Firefox = {
  version: string
  open(url: string): Promise<void>
  /** Calls a function inside the page, with texts as arguments. It may use nothing from outside. */
  call<Result>(run: (...args: string[]) => Result, ...args: string[]): Promise<Awaited<Result>>
  /** Types into the field with this label, key by key. */
  type(label: string, text: string): Promise<void>
  /** Presses the button or link with this name. */
  press(name: string): Promise<void>
  /** Waits until the page shows this text. */
  sees(text: string): Promise<void>
  /** Errors in the console, exceptions and violations of the content policy since the beginning. */
  problems: readonly string[]
  close(): Promise<void>
}

type Message = { id?: number; type: string; method?: string; params?: LogEntry; result?: unknown; message?: string }
type LogEntry = { level: string; text: string | null }

export const openFirefox = async (): Promise<Firefox> => {
  const program = findBinary(['firefox-esr', 'firefox'])
  if (program === undefined) {
    throw new Error('These tests need Firefox: apt-get install --no-install-recommends firefox-esr')
  }
  const profile = mkdtempSync(join(tmpdir(), 'ars-firefox-'))
  const child = spawn(program, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0'], {
    env: { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (data) => {
    said += data
  })
  const end = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const address = await until('Firefox', async () => /WebDriver BiDi listening on (ws:\S+)/.exec(said)?.[1])
    const { send, problems } = await connect(`${address}/session`)
    return { ...(await preparePage(send)), problems, close: end }
  } catch (error) {
    await end()
    throw error
  }
}

type Send = <Result>(method: string, params: object) => Promise<Result>

const connect = async (address: string): Promise<{ send: Send; problems: string[] }> => {
  const socket = new WebSocket(address)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error(`no connection to ${address}`)))
  })
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  const problems: string[] = []
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message
    if (message.method === 'log.entryAdded') {
      const { level, text } = message.params as LogEntry
      if (level === 'error') problems.push(text ?? '')
    }
    const call = waiting.get(message.id ?? -1)
    if (message.type === 'error') call?.reject(new Error(message.message))
    else call?.resolve(message.result)
  })
  let last = 0
  const send: Send = (method, params) =>
    new Promise((resolve, reject) => {
      last += 1
      waiting.set(last, { resolve: resolve as (result: unknown) => void, reject })
      socket.send(JSON.stringify({ id: last, method, params }))
    })
  return { send, problems }
}

type Tree = { contexts: { context: string }[] }
type Evaluated = { type: string; result: { type: string; value?: unknown }; exceptionDetails?: { text: string } }

const preparePage = async (send: Send): Promise<Omit<Firefox, 'problems' | 'close'>> => {
  const { capabilities } = await send<{ capabilities: { browserVersion: string } }>('session.new', {
    capabilities: { alwaysMatch: { acceptInsecureCerts: true } },
  })
  await send('session.subscribe', { events: ['log.entryAdded'] })
  await send('script.addPreloadScript', { functionDeclaration: String(reportViolations) })
  const context = (await send<Tree>('browsingContext.getTree', {})).contexts[0]?.context
  const call: Firefox['call'] = async (run, ...args) => {
    const { result, exceptionDetails } = await send<Evaluated>('script.callFunction', {
      functionDeclaration: `async (...args) => JSON.stringify(await (${run})(...args)) ?? 'null'`,
      arguments: args.map((value) => ({ type: 'string', value })),
      target: { context },
      awaitPromise: true,
      userActivation: true,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.text)
    return JSON.parse(String(result.value))
  }
  return {
    version: capabilities.browserVersion,
    call,
    open: async (url) => void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    type: async (label, text) => {
      await until(`the field ${label}`, () => call(focusField, label))
      const actions = [...text].flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ])
      await send('input.performActions', { context, actions: [{ type: 'key', id: 'keyboard', actions }] })
    },
    press: async (name) => void (await until(`the control ${name}`, () => call(pressControl, name))),
    sees: async (text) => {
      await until(`the text ${text}`, () => call((wanted) => document.body.textContent.includes(wanted ?? ''), text))
    },
  }
}

const reportViolations = (): void =>
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
    console.error(`securitypolicyviolation: ${effectiveDirective} ${blockedURI}`)
  })

const focusField = (label?: string): boolean => {
  const labels = [...document.querySelectorAll('label')]
  const field = labels.find(({ textContent }) => textContent.trim().startsWith(label ?? ''))?.control
  field?.focus()
  return field !== undefined && field === document.activeElement
}

const pressControl = (name?: string): boolean => {
  const controls = [...document.querySelectorAll<HTMLElement>('button, a, [role=option]')]
  const found = controls.find((each) => each.textContent.trim() === name && each.ariaDisabled !== 'true')
  found?.click()
  return found !== undefined
}
