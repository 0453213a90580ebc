import { setTimeout as sleepFor } from 'node:timers/promises'
import type { Clock } from '@ars/platform/clock'
import { randomBytes } from '@ars/platform/crypto'
import type { Log } from '@ars/platform/log/log'
import { modelsBounds } from './bounds.ts'
import { addUsage, costOf } from './cost.ts'
import { createFallback, type OnFallback } from './fallback.service.ts'
import { type KeysOfCaller, ModelFailure, type ModelReply, type ModelRequest, nothingSpent } from './model.ts'
import { createMeasured, type OnCall } from './model-call.service.ts'
import { type ModelList, modelListOf, type Switch, vendorOf } from './model-list.service.ts'
import { type ReadModels, readModels, watchModels } from './models-file.service.ts'
import { findModel, type ModelEntry, type ModelsFile, providerModelOf } from './models-file.ts'
import { originsOf, type Vendor, vendorEntry, vendorModels, vendors } from './outside-file.ts'
import type { Provider, ProviderAnswer } from './provider.service.ts'
import { createPersist, type Sleep } from './retry.service.ts'
import { type RetryLimits, retryLimits } from './retry.ts'
import { playTurn, type Testing } from './simulated.service.ts'
import { isSimulated } from './simulation.ts'

export type ModelService = Pick<ModelList, 'find'> & {
  /** Rejects with ModelFailure, or with the reason of an aborted signal. */
  call(request: ModelRequest): Promise<ModelReply>
  /** Closes the connections to the providers. */
  close(): Promise<void>
}

export type ModelParts = {
  /**
   * The path of `models.yaml`. Undefined: only the simulated models exist. An invalid file throws and names the
   * location.
   */
  modelsFile: string | undefined
  /** Off: no fallback is a simulated model. */
  simulatedModels?: Switch
  /** Where `api_key_env` is read. */
  environment: Readonly<Record<string, string | undefined>>
  /** On: the variables of vendors enable their providers. */
  modelKeysFromEnvironment?: Switch
  /** The address of the provider `local`. */
  localModelUrl?: string | undefined
  /** False: without the key of a provider, its models fail when they are called. True, the default: the start fails. */
  needsKeys?: boolean
  clock: Clock
  log: Log
  testing?: Testing | undefined
  onCall?: OnCall
  onFallback?: OnFallback
  /** For tests: the wait function and the random number from 0 to 1. */
  sleep?: Sleep
  random?: () => number
}

export const createModels = ({
  modelsFile,
  simulatedModels,
  environment,
  modelKeysFromEnvironment = 'off',
  localModelUrl,
  needsKeys = true,
  clock,
  log,
  testing,
  onCall = () => undefined,
  onFallback = () => undefined,
  sleep = sleepUnlessAborted,
  random = rollDice,
}: ModelParts): ModelService => {
  const outside = { environment, vendorKeys: modelKeysFromEnvironment === 'on', localUrl: localModelUrl }
  const inUse = readModels(modelsFile, outside, needsKeys)
  for (const [provider, { reason }] of inUse.keyless)
    log.warn('provider of models has no key here', { provider, reason })
  // A worker calls models. Gateways ask them for policies only, and need no key.
  if (needsKeys) {
    const providers = originsOf(inUse.file)
    if (providers.length > 0) log.info('model providers are enabled', { providers })
    else log.info('no model provider is enabled, only simulated models answer')
  }
  // The library prints its warnings unless it is given a handler.
  globalThis.AI_SDK_LOG_WARNINGS = ({ warnings, provider, model }) =>
    log.debug('model warning', { warnings, provider, model })
  let current = openGeneration(inUse, { clock, isEager: needsKeys })
  const watch = watchModels({
    path: modelsFile,
    outside,
    needsKeys,
    inUse,
    use: (next) => {
      const old = current
      current = openGeneration(next, { clock, isEager: needsKeys })
      old.retire()
    },
    log,
  })
  const persist = createPersist({ clock, log, sleep, random })

  const measured = createMeasured({ clock, onCall })

  const callProvider = async (
    { providers }: Generation,
    entry: ModelEntry,
    request: ModelRequest,
    limits: RetryLimits,
  ): Promise<ModelReply> => {
    const ownKey = (await request.ownKeys?.open(entry.provider)) ?? null
    const provider = await providers.get(entry.provider, { isKeyed: ownKey !== null })
    const providerModel = providerModelOf(entry, request.model)
    let { messages } = request
    let spent = nothingSpent
    for (let broken = 1; ; broken++) {
      const startedMs = clock.monotonicMs()
      const ask = (watched: ModelRequest) =>
        measured({ entry, account: accountOf(ownKey), signal: request.signal }, async () =>
          provider.ask(watched, messages, { providerModel, ownKey }),
        )
      const answer = await persist(request, ask, limits).catch((error: unknown) => {
        throw error instanceof ModelFailure ? error.after(spent) : error
      })
      const usage = addUsage(spent.usage, answer.usage)
      spent = { usage, costUsd: costOf(usage, entry.price) }
      const { text, toolCalls, parts, finish } = answer
      if (answer.brokenCalls.length === 0) {
        return { text, toolCalls, ...(parts !== undefined && { parts }), ...spent, finish }
      }
      const failure = brokenCallFailure(request.model, answer)
      request.onFailedTry({ startedMs, code: 'model_error', message: failure.message })
      if (finish === 'length' || broken > retryLimits.brokenToolCalls) throw failure.after(spent)
      if (text !== '') request.onRestart()
      messages = [...messages, { role: 'user', text: correctionOf(answer) }]
    }
  }

  const callOne = (request: ModelRequest, limits: RetryLimits): Promise<ModelReply> => {
    const { model, signal } = request
    if (isSimulated(model)) {
      const entry = { provider: 'simulated', pattern: model, price: null }
      const play = (watched: ModelRequest, tries: number) =>
        measured({ entry, account: 'operator', signal }, async () =>
          playTurn(model, watched, { tries, sleep, testing }),
        )
      return persist(request, play, limits)
    }
    const generation = current
    const entry = findModel(generation.file, model) ?? entryOfVendor(model, request)
    if (entry) return generation.during(() => callProvider(generation, entry, request, limits))
    return Promise.reject(new ModelFailure(`There is no model ${model.slice(0, 200)}`, { retryable: false }))
  }

  // Customers cannot add values to a metric: a model has its name in the operator's file.
  const nameOf = (model: string): string => findModel(current.file, model)?.pattern ?? (isSimulated(model) ? model : '')
  const callWithFallbacks = createFallback({
    clock,
    log,
    call: callOne,
    payerOf: async ({ ownKeys }, model) => {
      const provider = findModel(current.file, model)?.provider ?? vendorOf(model)
      return provider && ownKeys && (await ownKeys.open(provider)) !== null ? ownKeys.org : null
    },
    onFallback: ({ from, to }) => onFallback({ from: nameOf(from), to: nameOf(to) }),
  })

  // A fallback that the operator has removed since the agent was saved is left out.
  const usableOf = ({ fallbackModels = [], ...request }: ModelRequest): string[] => {
    const list = modelListOf(current.file, { simulatedModels })
    return fallbackModels.filter((model) => list.find(model) ?? entryOfVendor(model, request))
  }

  return {
    // Whether the organisation has a key of a vendor is known when the model is called.
    find: (model) => modelListOf(current.file, { own: allVendors }).find(model),
    call: (given) => {
      const request = { ...given, ownKeys: given.ownKeys && readOnce(given.ownKeys) }
      return callWithFallbacks(request, usableOf(request))
    },
    close: async () => {
      watch.close()
      await current.providers.close()
    },
  }
}

/** A model of a vendor that the operator does not list, for a request that can have a key of its organisation. */
const entryOfVendor = (model: string, { ownKeys }: Pick<ModelRequest, 'ownKeys'>): ModelEntry | undefined => {
  const vendor = ownKeys && vendorOf(model)
  return vendor ? vendorModels(vendor) : undefined
}

/** One call of a model uses one key of each provider. */
const readOnce = ({ org, open }: KeysOfCaller): KeysOfCaller => {
  const opened = new Map<string, PromiseLike<string | null>>()
  return {
    org,
    open: (provider) => {
      const key = opened.get(provider) ?? open(provider)
      opened.set(provider, key)
      return key
    },
  }
}

const accountOf = (ownKey: string | null) => (ownKey === null ? 'operator' : 'organisation')

const allVendors: ReadonlySet<Vendor> = new Set(Object.keys(vendors) as Vendor[])

/** A read of the models file, with the connections that belong to it. Calls end with the file that they began with. */
type Generation = {
  file: ModelsFile
  providers: ReturnType<typeof openProviders>
  during<Result>(call: () => Promise<Result>): Promise<Result>
  /** Closes the connections after the last call. */
  retire(): void
}

const openGeneration = (read: ReadModels, how: { clock: Clock; isEager: boolean }): Generation => {
  const { file } = read
  const providers = openProviders(read, how)
  let calls = 0
  let isRetired = false
  const closeIfUnused = (): void => {
    if (isRetired && calls === 0) void providers.close()
  }
  return {
    file,
    providers,
    during: async (call) => {
      calls++
      try {
        return await call()
      } finally {
        calls--
        closeIfUnused()
      }
    },
    retire: () => {
      isRetired = true
      closeIfUnused()
    },
  }
}

/**
 * The vendors' libraries are large, so a stack with only simulated models does not load them. `isEager`: others load them at once, so that
 * the first call does not wait; otherwise the first call loads them.
 */
const openProviders = ({ file, keys, keyless }: ReadModels, { clock, isEager }: { clock: Clock; isEager: boolean }) => {
  let opened: Promise<Map<string, Provider>> | undefined
  const open = (): Promise<Map<string, Provider>> => {
    opened ??= import('./provider.service.ts').then(({ createProvider }) => {
      const named = [...file.providers.values()]
      // Organisations may have keys of the others.
      const unnamed = [...allVendors].filter((name) => !file.providers.has(name)).map(vendorEntry)
      return new Map(
        [...named, ...unnamed].map((entry) => [entry.name, createProvider(entry, keys.get(entry.name), clock)]),
      )
    })
    return opened
  }
  // The caller gets the rejection; until then nobody listens.
  if (isEager && file.providers.size > 0) open().catch(() => undefined)
  return {
    get: async (name: string, { isKeyed }: { isKeyed: boolean }): Promise<Provider> => {
      if (!isKeyed && (keyless.has(name) || !file.providers.has(name)))
        throw new ModelFailure(`The provider ${name} has no key here`, { retryable: false })
      const provider = (await open()).get(name)
      if (!provider) throw new Error(`No provider ${name}`)
      return provider
    },
    close: async (): Promise<void> => {
      for (const provider of (await opened)?.values() ?? []) provider.close()
    },
  }
}

// The provider chose the names and the number of its calls, and a correction is sent with all that follows.
const maxCorrections = modelsBounds.correctionsTold.count
const maxToolNameChars = modelsBounds.toolNameTold.chars

/**
 * The model gets its mistake back as text and may try again. The text is a user message, not a tool result: vendors
 * reject a conversation with a call that they cannot parse.
 */
const correctionOf = ({ brokenCalls }: ProviderAnswer): string => {
  const faults = brokenCalls
    .slice(0, maxCorrections)
    .map(({ name, problem }) => `- ${name.slice(0, maxToolNameChars)}: ${problem}`)
  return `Your last answer was not used, because tools were called in a way that cannot be read:\n${faults.join('\n')}\nAnswer again. The arguments of a tool are one valid JSON object.`
}

const brokenCallFailure = (model: string, { brokenCalls, finish }: ProviderAnswer): ModelFailure => {
  const name = brokenCalls[0]?.name.slice(0, maxToolNameChars)
  return finish === 'length'
    ? new ModelFailure(`${model} reached max_output_tokens in the middle of a call of the tool ${name}`, {
        retryable: false,
      })
    : new ModelFailure(`${model} called the tool ${name} in a way that cannot be read`, {
        retryable: true,
      })
}

const sleepUnlessAborted: Sleep = (ms, signal) => sleepFor(ms, undefined, { signal })

const rollDice = (): number => randomBytes(4).readUInt32BE() / 2 ** 32
