import type { ClientModel } from '../client-model.ts'
import { isRequests, type RequestBlock, readRequests } from './page.ts'
import { planBlock, type Refs } from './plan.ts'
import { renderCurl } from './render-curl.ts'
import { goRenderer } from './render-go.ts'
import { renderPython } from './render-python.ts'
import { renderTypescript } from './render-typescript.ts'
import { ShellOnly } from './shell.ts'

export const languages = ['curl', 'typescript', 'python', 'go'] as const
export type Language = (typeof languages)[number]

/** A block of a page in every language, or the reason for which it stays a shell block. */
export type RenderedBlock = Pick<RequestBlock, 'line' | 'from' | 'to' | 'code' | 'fails'> &
  (
    | {
        readonly texts: Readonly<Record<Language, string>> /** It only says where the service is. */
        readonly isSetup: boolean
      }
    | { readonly reason: string }
  )

export type RequestRenderer = (markdown: string) => RenderedBlock[]

/** Renders the blocks of pages that call the API. */
export const requestRenderer = (model: ClientModel): RequestRenderer => {
  const renderGo = goRenderer(model)
  return (markdown) => {
    let refs: Refs = new Map()
    return readRequests(markdown).map((block): RenderedBlock => {
      const { line, from, to, code, fails } = block
      const place = { line, from, to, code, fails }
      if (!isRequests(block)) return { ...place, reason: block.reason }
      try {
        const plan = planBlock(model, block.statements, refs)
        refs = plan.refs
        const texts = {
          curl: renderCurl(block.statements),
          typescript: renderTypescript(plan.lines),
          python: renderPython(plan.lines),
          go: renderGo(plan.lines),
        }
        return { ...place, texts, isSetup: plan.lines.every(({ kind }) => kind === 'setup') }
      } catch (error) {
        if (!(error instanceof ShellOnly)) throw error
        return { ...place, reason: error.message }
      }
    })
  }
}
