import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 767px)')

const subscribe = (onChange: () => void): (() => void) => {
  narrow.addEventListener('change', onChange)
  return () => narrow.removeEventListener('change', onChange)
}

/** Whether the page is as narrow as a phone. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)
