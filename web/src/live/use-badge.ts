import { useEffect, useRef } from 'react'
import { usePulse } from './use-pulse.ts'

const icon = (mark: string): string =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4f46e5"/><path d="M9 17l5 5 9-11" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/>${mark}</svg>`,
  )}`
const dot = '<circle cx="24" cy="8" r="8" fill="#dc4a43" stroke="#fff" stroke-width="2"/>'

/** Shows in the title of the tab how much waits for a person, and notifies them if they allowed it. */
export function useBadge(): void {
  const waiting = usePulse(({ pulse }) => pulse.repositories.reduce((sum, one) => sum + one.waiting, 0))
  const before = useRef<number | null>(null)
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (link) link.href = waiting > 0 ? icon(dot) : '/icon.svg'
    document.title = titled(document.title, waiting)
    if (before.current !== null && waiting > before.current) notify(waiting)
    before.current = waiting
  }, [waiting])
}

/** A title with the number of waiting things in front of it. */
export const titled = (title: string, waiting: number): string => {
  const plain = title.replace(/^\(\d+\) /, '')
  return waiting > 0 ? `(${waiting}) ${plain}` : plain
}

function notify(waiting: number): void {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted' || !document.hidden) return
  const text = waiting === 1 ? 'A patch or question waits for you.' : `${waiting} answers are wanted.`
  const shown = new Notification('Fixpoint needs you', { body: text, tag: 'fixpoint-waiting' })
  shown.addEventListener('click', () => globalThis.focus())
}
