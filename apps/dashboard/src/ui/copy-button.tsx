import { Check, Copy } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Button, IconButton } from './button.tsx'

/** Copies a text. With `children` it is a button with words, otherwise an icon. */
export const CopyButton = (props: {
  /** A function for a text that is expensive to make. */
  text: string | (() => string)
  label: string
  children?: ReactNode
  kind?: 'primary' | 'plain'
  onCopied?(): void
}) => {
  const [isDone, setIsDone] = useState(false)
  useEffect(() => {
    if (!isDone) return
    const timer = setTimeout(() => setIsDone(false), 1_500)
    return () => clearTimeout(timer)
  }, [isDone])
  const copy = async () => {
    await navigator.clipboard.writeText(typeof props.text === 'string' ? props.text : props.text())
    setIsDone(true)
    props.onCopied?.()
  }
  const icon = isDone ? <Check aria-hidden size={13} /> : <Copy aria-hidden size={13} />
  return (
    <>
      {props.children === undefined ? (
        <IconButton
          label={props.label}
          isSmall
          data-harmless
          className="relative z-10 !size-6"
          onClick={(event) => {
            event.preventDefault()
            void copy()
          }}
        >
          {icon}
        </IconButton>
      ) : (
        <Button
          {...(props.kind && { kind: props.kind })}
          aria-label={isDone ? undefined : props.label}
          data-harmless
          onClick={() => void copy()}
        >
          {icon} {isDone ? 'Copied' : props.children}
        </Button>
      )}
      <span role="status" className="sr-only">
        {isDone ? 'Copied' : ''}
      </span>
    </>
  )
}
