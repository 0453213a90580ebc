import { history, historyKeymap, standardKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { Annotation, EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--run)' },
])
const look = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--surface)', fontSize: '12px', borderRadius: '6px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--ink-3)', border: 'none' },
  '.cm-content': { caretColor: 'var(--accent)', fontFamily: '"JetBrains Mono Variable", ui-monospace, monospace' },
  '.cm-scroller': { maxHeight: 'var(--editor-height, 24rem)', minHeight: '6rem' },
})

const fromOutside = Annotation.define<boolean>()

/** An editor for JSON. Tab leaves it, as everywhere in a form. Loaded lazily through `json-field.tsx`. */
export const JsonEditor = (props: {
  label: string
  text: string
  isInvalid?: boolean
  /** A part that is selected and shown. A new object selects it again. */
  jump?: { from: number; to: number } | null
  onChange(text: string): void
}) => {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const changed = useRef(props.onChange)
  changed.current = props.onChange
  const { label, text } = props
  const first = useRef(text)
  useEffect(() => {
    const host = place.current
    if (!host) return
    // In a shadow root the styles of the editor are constructed sheets, which the content policy permits.
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
    const state = EditorState.create({
      doc: first.current,
      extensions: [
        lineNumbers(),
        history(),
        keymap.of([...standardKeymap, ...historyKeymap]),
        json(),
        syntaxHighlighting(colours),
        look,
        EditorView.lineWrapping,
        // A block that scrolls must be reachable by keyboard, also for readers that do not know editable text.
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return
          // A text from outside is not reported back: it could replace a newer one that is not drawn yet.
          if (update.transactions.some((each) => each.annotation(fromOutside))) return
          changed.current(update.state.doc.toString())
        }),
      ],
    })
    view.current = new EditorView({ state, parent: root, root })
    return () => view.current?.destroy()
  }, [label])
  useEffect(() => {
    const editor = view.current
    if (!editor || editor.state.doc.toString() === text) return
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: text },
      annotations: fromOutside.of(true),
    })
  }, [text])
  const { jump } = props
  useEffect(() => {
    const editor = view.current
    if (!editor || !jump) return
    const end = editor.state.doc.length
    const selection = { anchor: Math.min(jump.from, end), head: Math.min(jump.to, end) }
    editor.dispatch({ selection, effects: EditorView.scrollIntoView(selection.anchor, { y: 'center' }) })
    editor.focus()
  }, [jump])
  return <div ref={place} className={`rounded-md border ${props.isInvalid ? 'border-bad' : 'border-line-strong'}`} />
}
