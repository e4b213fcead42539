import { useEffect, useState } from 'react'
import { serverNow } from '../api/server-time.ts'

/** The current time by the clock of the server, read again every so many milliseconds; null stops the clock. */
export function useNow(everyMs: number | null): number {
  const [nowMs, setNowMs] = useState(() => serverNow())
  useEffect(() => {
    if (everyMs === null) return undefined
    const timer = setInterval(() => setNowMs(serverNow()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return nowMs
}
