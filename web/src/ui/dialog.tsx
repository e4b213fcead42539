import { useEffect, useId, useRef, type ReactNode } from 'react'

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
