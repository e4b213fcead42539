import { useEffect, useState } from 'react'

/** The value as it was when it last stood still for so long; two values are the same when they read the same. */
export function useRested<Value>(value: Value, ms: number): Value {
  const [rested, setRested] = useState(value)
  const [now, before] = [JSON.stringify(value), JSON.stringify(rested)]
  useEffect(() => {
    if (now === before) return undefined
    const timer = setTimeout(() => setRested(JSON.parse(now) as Value), ms)
    return () => clearTimeout(timer)
  }, [now, before, ms])
  return rested
}
