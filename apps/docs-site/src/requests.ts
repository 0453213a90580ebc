import { clientModel } from '@ars/tools/gen/client-model'
import { type Language, languages, type RenderedBlock, requestRenderer } from '@ars/tools/gen/requests/index'
import type { Form } from './links.ts'
import type { SitePage } from './site-page.ts'

const labels: Readonly<Record<Language, string>> = {
  curl: 'curl',
  typescript: 'TypeScript',
  python: 'Python',
  go: 'Go',
}
const fences: Readonly<Record<Language, string>> = { curl: 'sh', typescript: 'ts', python: 'python', go: 'go' }

const render = requestRenderer(clientModel())

/**
 * A page whose requests are there in every language, and in its Markdown twin with curl. Its source has them as shell blocks with functions
 * of the settings.
 */
export const withRequests = (page: SitePage, form: Form): SitePage => {
  if (!/^docs\/(guides|tutorials)\//.test(page.file)) return page
  let body = ''
  let at = 0
  for (const block of render(page.body)) {
    body += page.body.slice(at, block.from) + written(page, block, form)
    at = block.to
  }
  return { ...page, body: body + page.body.slice(at) }
}

const written = ({ body }: SitePage, block: RenderedBlock, form: Form): string => {
  const source = body.slice(block.from, block.to)
  if (!('texts' in block)) return /\bcall /.test(block.code) ? `${source}\n\n${ofSettings}` : source
  const { line, texts } = block
  if (form === 'markdown') return `${source}\n\nWith curl and jq:\n\n${fenced('curl', texts.curl)}`
  const name = `requests-${line}`
  const tabs = languages.map((language, n) => {
    const id = `${name}-${language}`
    const checked = n === 0 ? ' checked' : ''
    return `<input type="radio" name="${name}" id="${id}" value="${language}"${checked}><label for="${id}">${labels[language]}</label>`
  })
  const panels = languages.map(
    (language) => `<div class="request request-${language}">\n\n${fenced(language, texts[language])}\n\n</div>`,
  )
  return `<div class="requests" role="group" aria-label="The request in four languages">\n${tabs.join('\n')}\n${panels.join('\n')}\n</div>`
}

/** A block that stays in the shell. */
const ofSettings = 'This block uses the [functions](../README.md) that the settings of the service define.'

const fenced = (language: Language, text: string): string => `\`\`\`${fences[language]}\n${text}\`\`\``
