import { mailBounds } from './bounds.ts'

/** What a mail says, without its form. All texts are plain; the layout escapes them. */
export type Letter = {
  subject: string
  paragraphs: readonly string[]
  /** Short facts below the text: name and value. */
  facts?: readonly (readonly [string, string])[]
  action: { label: string; url: string }
  /** Why this person gets the mail. */
  footer: string
}

export type LaidOut = { subject: string; text: string; html: string }

const maxValueChars = mailBounds.value.chars

/**
 * One plain layout for all mails, in text and in HTML without remote content. Our link comes first: no text of a customer stands before
 * it and looks like it.
 */
export const layOut = ({ subject, paragraphs, facts = [], action, footer }: Letter): LaidOut => {
  const told = paragraphs.map(oneLine)
  const rows = facts.map(([name, value]) => [oneLine(name), oneLine(value)] as const)
  const text = [
    `${action.label}:\n${action.url}`,
    ...told,
    ...(rows.length === 0 ? [] : [rows.map(([name, value]) => `${name}: ${value}`).join('\n')]),
    `-- \n${oneLine(footer)}`,
  ].join('\n\n')
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${escaped(oneLine(subject))}</title></head>`,
    '<body style="margin:0;padding:24px;font-family:system-ui,-apple-system,Segoe UI,Roboto,sans-serif;font-size:15px;line-height:1.5;color:#1a1a1a;background:#ffffff">',
    '<div style="max-width:560px">',
    `<p style="margin:0 0 16px"><a href="${escaped(action.url)}" style="display:inline-block;padding:10px 16px;border-radius:6px;background:#1a1a1a;color:#ffffff;text-decoration:none">${escaped(action.label)}</a></p>`,
    ...told.map((paragraph) => `<p style="margin:0 0 16px">${escaped(paragraph)}</p>`),
    ...(rows.length === 0 ? [] : [table(rows)]),
    `<p style="margin:24px 0 0;font-size:13px;color:#5c5c5c">${escaped(oneLine(footer))}</p>`,
    '</div></body></html>',
  ].join('\n')
  return { subject: oneLine(subject), text: `${text}\n`, html: `${html}\n` }
}

const table = (rows: readonly (readonly [string, string])[]): string =>
  `<table style="margin:0 0 16px;border-collapse:collapse">${rows
    .map(
      ([name, value]) =>
        `<tr><td style="padding:2px 16px 2px 0;color:#5c5c5c;vertical-align:top">${escaped(name)}</td><td style="padding:2px 0">${escaped(value)}</td></tr>`,
    )
    .join('')}</table>`

/** Values of customers contain no line breaks, so that they cannot imitate a paragraph. */
const oneLine = (text: string): string => {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return line.length <= maxValueChars ? line : `${line.slice(0, maxValueChars - 1).toWellFormed()}…`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => entities[char] ?? char)
