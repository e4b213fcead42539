import { useEffect, useRef, useState, type RefObject } from 'react'

/** The current width of an element in pixels; 0 until it is known. */
export function useWidth<Of extends HTMLElement>(): readonly [RefObject<Of | null>, number] {
  const ref = useRef<Of>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (!ref.current) return undefined
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [])
  return [ref, width]
}
