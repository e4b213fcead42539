import { useCallback, useLayoutEffect, useRef } from 'react'

/** A function that stays the same while the component lives and calls the newest version, so that its receivers are not drawn again. */
export function useStable<Args extends readonly unknown[]>(run: (...args: Args) => void) {
  const latest = useRef(run)
  useLayoutEffect(() => {
    latest.current = run
  })
  return useCallback((...args: Args) => latest.current(...args), [])
}
