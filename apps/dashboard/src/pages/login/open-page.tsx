import type { ReactNode } from 'react'

/** The frame of a page without session. */
export const OpenPage = (props: { title: string; lead: string; refusal?: string | undefined; children: ReactNode }) => (
  <main className="grid min-h-dvh place-items-center p-6">
    <div className="w-full max-w-80">
      <img src="/dashboard/icon.svg" alt="" className="mb-5 size-9" />
      <h1 className="mb-1 font-semibold text-xl tracking-tight">{props.title}</h1>
      <p className="mb-5 text-ink-2">{props.lead}</p>
      {props.refusal !== undefined && (
        <p role="alert" className="mb-4 rounded-md border border-bad/40 bg-bad-soft px-3 py-2 text-bad">
          {props.refusal}
        </p>
      )}
      {props.children}
    </div>
  </main>
)
