import { useCallback, useLayoutEffect, useRef } from 'react'

/** The same function for as long as the component lives, which calls the newest one: what is given it need not be drawn anew. */
export function useStable<Args extends readonly unknown[]>(run: (...args: Args) => void) {
  const latest = useRef(run)
  useLayoutEffect(() => {
    latest.current = run
  })
  return useCallback((...args: Args) => latest.current(...args), [])
}
