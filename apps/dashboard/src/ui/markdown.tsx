import { lexer, type Token, type Tokens } from 'marked'
import { Fragment, type ReactNode, useMemo } from 'react'
import { LargeText } from './json-view.tsx'
import { safeUrl } from './safe-url.ts'

const maxChars = 200_000
const maxTokens = 20_000
const maxDepth = 40

/**
 * Markdown of an agent as React elements. Only the lexer of the library is used. HTML stays text, links lead to http(s)
 * only, and images become links: nothing is loaded from elsewhere, and nothing that a run says becomes markup.
 */
export const Markdown = ({ text }: { text: string }) => {
  const tokens = useMemo(() => (text.length > maxChars ? null : parse(text)), [text])
  if (tokens === null) return <LargeText text={text} name="output" />
  return (
    <div className="min-w-0 space-y-3 break-words text-base leading-6 [unicode-bidi:isolate]">
      <Blocks tokens={tokens} depth={0} />
    </div>
  )
}

/** Null: too much to draw. */
const parse = (text: string): readonly Token[] | null => {
  try {
    const tokens = lexer(text)
    return count(tokens) > maxTokens ? null : tokens
  } catch {
    // The lexer refuses some inputs, such as a quotation with thousands of levels.
    return null
  }
}

const count = (tokens: readonly Token[]): number => {
  let seen = 0
  const waiting: Token[] = [...tokens]
  for (let token = waiting.pop(); token !== undefined && seen <= maxTokens; token = waiting.pop()) {
    seen += 1
    waiting.push(...childrenOf(token))
  }
  return seen
}

const childrenOf = (token: Token): readonly Token[] => {
  if ('tokens' in token && token.tokens) return token.tokens
  return token.type === 'list' ? (token as Tokens.List).items : []
}

type Part = { tokens: readonly Token[] | undefined; depth: number }

const Blocks = ({ tokens = [], depth }: Part) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of one text never move.
  tokens.map((token, n) => <Fragment key={n}>{block(token, depth)}</Fragment>)

const block = (token: Token, depth: number): ReactNode => {
  if (depth > maxDepth) return token.raw
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return <Heading token={token as Tokens.Heading} depth={depth} />
    case 'paragraph':
      return (
        <p className="whitespace-pre-wrap">
          <Inlines tokens={token.tokens} depth={depth + 1} />
        </p>
      )
    case 'code':
      return <CodeBlock text={(token as Tokens.Code).text} />
    case 'blockquote':
      return (
        <blockquote className="space-y-2 border-line-strong border-s-2 ps-3 text-ink-2">
          <Blocks tokens={token.tokens} depth={depth + 1} />
        </blockquote>
      )
    case 'list':
      return <List token={token as Tokens.List} depth={depth} />
    case 'table':
      return <Table token={token as Tokens.Table} depth={depth} />
    case 'hr':
      return <hr className="border-line" />
    case 'html':
      return <p className="whitespace-pre-wrap">{token.raw}</p>
    case 'text':
      return 'tokens' in token ? <Inlines tokens={token.tokens} depth={depth + 1} /> : (token as Tokens.Text).text
    default:
      return token.raw
  }
}

const headings = ['h3', 'h4', 'h5', 'h6'] as const

/** The headings of a text stand below those of the page. */
const Heading = ({ token, depth }: { token: Tokens.Heading; depth: number }) => {
  const Tag = headings[token.depth - 1] ?? 'h6'
  return (
    <Tag className="font-semibold text-lg">
      <Inlines tokens={token.tokens} depth={depth + 1} />
    </Tag>
  )
}

const CodeBlock = ({ text }: { text: string }) => (
  <pre
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling block must be reachable by keyboard.
    tabIndex={0}
    className="overflow-x-auto rounded-md border border-line bg-sunken p-2.5 font-mono text-xs leading-[1.125rem]"
  >
    {text}
  </pre>
)

const List = ({ token, depth }: { token: Tokens.List; depth: number }) => {
  const items = token.items.map((item, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the items of one text never move.
    <li key={n}>
      {item.task && (
        <input type="checkbox" checked={item.checked === true} readOnly disabled className="me-1.5" aria-label="Done" />
      )}
      <Blocks tokens={item.tokens} depth={depth + 1} />
    </li>
  ))
  return token.ordered ? (
    <ol start={Number(token.start) || 1} className="list-decimal space-y-1 ps-6">
      {items}
    </ol>
  ) : (
    <ul className="list-disc space-y-1 ps-6">{items}</ul>
  )
}

const Table = ({ token, depth }: { token: Tokens.Table; depth: number }) => {
  const cell = ({ tokens }: Tokens.TableCell, n: number, Tag: 'th' | 'td') => (
    <Tag key={n} className="border border-line px-2 py-1 text-start">
      <Inlines tokens={tokens} depth={depth + 1} />
    </Tag>
  )
  return (
    <div className="overflow-x-auto">
      <table className="border-collapse text-sm">
        <thead>
          <tr>{token.header.map((each, n) => cell(each, n, 'th'))}</tr>
        </thead>
        <tbody>
          {token.rows.map((row, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of one text never move.
            <tr key={n}>{row.map((each, at) => cell(each, at, 'td'))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Inlines = ({ tokens = [], depth }: Part) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of one text never move.
  tokens.map((token, n) => <Fragment key={n}>{inline(token, depth)}</Fragment>)

const inline = (token: Token, depth: number): ReactNode => {
  if (depth > maxDepth) return token.raw
  const inner = <Inlines tokens={'tokens' in token ? token.tokens : undefined} depth={depth + 1} />
  switch (token.type) {
    case 'strong':
      return <strong>{inner}</strong>
    case 'em':
      return <em>{inner}</em>
    case 'del':
      return <del>{inner}</del>
    case 'codespan':
      return <code className="rounded bg-sunken px-1 font-mono text-xs">{(token as Tokens.Codespan).text}</code>
    case 'br':
      return <br />
    case 'link':
      return <SafeLink href={(token as Tokens.Link).href}>{inner}</SafeLink>
    case 'image':
      return <SafeLink href={(token as Tokens.Image).href}>{(token as Tokens.Image).text || 'Image'}</SafeLink>
    case 'text':
      return 'tokens' in token && token.tokens ? inner : (token as Tokens.Text).text
    case 'escape':
      return (token as Tokens.Escape).text
    default:
      return token.raw
  }
}

/** A link that leads elsewhere than to http or https is text, with its address behind it. */
const SafeLink = ({ href, children }: { href: string; children: ReactNode }) => {
  const url = safeUrl(href)
  if (url === null) {
    return (
      <>
        {children} ({href})
      </>
    )
  }
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className="text-accent underline">
      {children}
    </a>
  )
}
