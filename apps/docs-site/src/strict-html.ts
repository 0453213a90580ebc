import { createHash } from 'node:crypto'
import { replaceTags } from './html.ts'
import { basePath } from './site-pages.ts'

/** Files of the site by their paths in it. */
export type SiteFiles = Map<string, string>

const stylesheet = '_astro/attributes.css'

/**
 * Moves scripts and styles that Starlight writes into its pages to files. The gateway serves the site with a policy that
 * executes no script and applies no style that stands in a page.
 */
export const separateScriptsAndStyles = (pages: SiteFiles): SiteFiles => {
  const rules = new Map<string, string>()
  const files: SiteFiles = new Map()
  for (const [path, html] of pages) {
    const withFiles = html.replaceAll(
      /<script([^>]*)>([\s\S]*?)<\/script>/g,
      (whole, attributes: string, script: string) => {
        if (/\ssrc=/.test(attributes)) return whole
        const file = `_astro/inline.${hashOf(script)}.js`
        files.set(file, script)
        return `<script${attributes} src="${basePath}/${file}"></script>`
      },
    )
    const withRules = replaceTags(withFiles, (tag) =>
      tag.replace(/\sstyle="([^"]*)"/, (_, style: string) => {
        // Hidden until a script shows it; the script clears the attribute. Shown at once instead.
        if (/^display:\s*none;?$/.test(style)) return ''
        rules.set(hashOf(style), style.replaceAll('&#34;', '"').replaceAll('&quot;', '"'))
        return ` data-style="${hashOf(style)}"`
      }),
    )
    files.set(path, withRules.replace('</head>', `<link rel="stylesheet" href="${basePath}/${stylesheet}"></head>`))
  }
  const sorted = [...rules].sort(([one], [other]) => (one < other ? -1 : 1))
  const css = sorted.map(([hash, style]) => `[data-style="${hash}"]{${style}}`).join('\n')
  // The pages name it by its content, because browsers keep the files of this folder for a year.
  const named = `_astro/attributes.${hashOf(css)}.css`
  for (const [path, text] of files) if (path.endsWith('.html')) files.set(path, text.replace(stylesheet, named))
  return files.set(named, `${css}\n`)
}

/**
 * The highlighter colours the pieces of code that have a `style` attribute with variables. `separateScriptsAndStyles` renames that
 * attribute, so its rules name the new one.
 */
export const followRenamedStyles = (styles: SiteFiles): SiteFiles => {
  const files = new Map(
    [...styles].map(([path, css]): [string, string] => [
      path,
      css.replaceAll(/\[style\^=(['"]?)--\1\]/g, '[data-style]'),
    ]),
  )
  const stale = [...files].flatMap(([path, css]) => (/\[style\b/.test(css) ? [path] : []))
  if (stale.length > 0) throw new Error(`These rules select an attribute that no page has: ${stale.join(', ')}`)
  return files
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 8)
