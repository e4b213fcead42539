import { useSyncExternalStore } from 'react'
import { Icon } from './icon.tsx'

interface Toast {
  readonly id: number
  readonly text: string
  /** Undoes the action, if that is possible. */
  readonly undo?: () => void
}

const shownMs = 6_000
let toasts: readonly Toast[] = []
let count = 0
const listeners = new Set<() => void>()

function set(next: readonly Toast[]): void {
  toasts = next
  listeners.forEach((listener) => listener())
}

const drop = (id: number): void => set(toasts.filter((toast) => toast.id !== id))

/** Says for a moment what was just done, with a button to undo it if that is possible. */
export function toast(text: string, undo?: () => void): void {
  count += 1
  const id = count
  set([...toasts.slice(-2), { id, text, ...(undo && { undo }) }])
  setTimeout(() => drop(id), shownMs)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-4 left-4 z-40 flex flex-col items-end gap-2 max-md:bottom-16"
    >
      {shown.map(({ id, text, undo }) => (
        <p
          key={id}
          className="pointer-events-auto flex max-w-sm items-center gap-3 rounded-lg border bg-surface px-3.5 py-2.5 shadow-lg"
        >
          <Icon name="check" className="size-4 text-ok" />
          <span className="min-w-0 wrap-anywhere">{text}</span>
          {undo && (
            <button
              type="button"
              className="font-medium text-accent hover:underline"
              onClick={() => {
                drop(id)
                undo()
              }}
            >
              Undo
            </button>
          )}
        </p>
      ))}
    </div>
  )
}
