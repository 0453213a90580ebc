import type { Run } from '@agent-run-service/sdk'
import { limits } from '@agent-run-service/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'

/** Sends a message to a run that is under way. The agent reads it before its next step. */
export const MessageDialog = ({ run, isOpen, onClose }: { run: Run; isOpen: boolean; onClose(): void }) => {
  const [text, setText] = useState('')
  const send = useMutation({
    mutationFn: async () => client.runs.act(run.id, { type: 'message', payload: { message: text } }),
    onSuccess: () => {
      setText('')
      onClose()
      toast('The message was sent')
    },
  })
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Send a message"
      description="The agent reads it before its next step."
    >
      <TextArea
        label="Message"
        rows={4}
        maxLength={limits.messageChars}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {send.error && <Problem title="The message was not sent" error={send.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Close</Button>
        <Button
          kind="primary"
          isBusy={send.isPending}
          reason={text.trim() === '' ? 'Write a message first.' : undefined}
          onClick={() => send.mutate()}
        >
          Send
        </Button>
      </div>
    </Dialog>
  )
}
