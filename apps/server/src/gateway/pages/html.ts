/** Pages are static: no script, no foreign origin, one stylesheet of this service. */
export const pagePolicy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Our own descriptions use a small part of Markdown: paragraphs, headings and code. */
export const markdown = (text: string): string =>
  text
    .split(/\n{2,}/)
    .map((block) => {
      const [, heading] = /^## (.+)$/.exec(block) ?? []
      return heading === undefined ? `<p>${inline(block)}</p>` : `<h3>${inline(heading)}</h3>`
    })
    .join('\n')

export const inline = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

/** What a page links to beside the document: the documentation, where the gateway serves it. */
export type Surroundings = { readonly hasDocsSite: boolean }

export const pageOf = (
  { title, nav, body }: { title: string; nav: string; body: string },
  { hasDocsSite }: Surroundings,
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<nav>
<p>${hasDocsSite ? '<a href="/docs/">Documentation</a> · ' : ''}<a href="/docs/api">Reference</a> · <a href="/docs/errors">Errors</a> · <a href="/openapi.json">openapi.json</a> · <a href="/openapi.yaml">openapi.yaml</a></p>
${nav}
</nav>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const cells = (tag: string, row: readonly string[]) =>
    `<tr>${row.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return `<table><thead>${cells('th', head)}</thead><tbody>${rows.map((row) => cells('td', row)).join('\n')}</tbody></table>`
}

export const stylesheet = `:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0; display: flex; font: 16px/1.5 system-ui, sans-serif; }
nav { width: 17rem; flex: none; height: 100vh; position: sticky; top: 0; overflow-y: auto; padding: 1rem; border-right: 1px solid #8884; font-size: 14px; }
nav ul { list-style: none; padding-left: .5rem; margin: .25rem 0 1rem; }
main { flex: 1; min-width: 0; max-width: 60rem; padding: 1rem 2rem 6rem; }
h2 { margin-top: 3rem; border-bottom: 1px solid #8884; }
section { margin: 2rem 0; scroll-margin-top: 1rem; }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
code { background: #8882; padding: .1em .3em; border-radius: 3px; overflow-wrap: anywhere; }
pre { background: #8882; padding: .75rem; overflow-x: auto; border-radius: 6px; }
pre code { background: none; padding: 0; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: .35rem .5rem; border-bottom: 1px solid #8883; }
.method { font-weight: 700; margin-right: .5rem; }
@media (max-width: 50rem) { body { display: block; } nav { width: auto; height: auto; position: static; border: 0; } main { padding: 1rem; } }
`
