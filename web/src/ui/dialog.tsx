import { useEffect, useId, useRef, type ReactNode, type SyntheticEvent } from 'react'
import { Button } from './button.tsx'
import { Problem } from './states.tsx'

/** A modal over the page. Escape and the backdrop close it, and focus goes back to where it was: the browser does both. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
      className="m-auto w-[min(30rem,calc(100vw-2rem))] rounded-xl border bg-surface p-0 text-fg shadow-2xl backdrop:bg-black/40"
    >
      <div className="flex flex-col gap-4 p-5">
        <h2 id={id} className="text-[15px] font-semibold">
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  )
}

interface FormProps {
  readonly title: string
  /** The word on the button that sends the form. */
  readonly act: string
  readonly look: 'primary' | 'danger'
  /** Whether the form can be sent: it is filled in, and not being sent already. */
  readonly isReady: boolean
  readonly error: unknown
  readonly onClose: () => void
  readonly onSubmit: () => void
  readonly children: ReactNode
}

/** A dialog that asks for something before it acts. */
export function FormDialog({ title, act, look, isReady, error, onClose, onSubmit, children }: FormProps) {
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        {children}
        <Problem error={error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look={look} disabled={!isReady}>
            {act}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
