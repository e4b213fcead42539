import { useEffect, useState } from 'react'

/** A value that survives a reload of the page, in this tab only; it is forgotten after its use. */
export function useDraft<Value extends object>(
  key: string,
  empty: Value,
): readonly [Value, (next: Value) => void, () => void] {
  const [value, setValue] = useState<Value>(() => ({ ...empty, ...read(key) }))
  useEffect(() => {
    try {
      sessionStorage.setItem(key, JSON.stringify(value))
    } catch {
      return // storage is switched off or full
    }
  }, [key, value])
  const forget = () => {
    try {
      sessionStorage.removeItem(key)
    } catch {
      return // storage is switched off
    }
  }
  return [value, setValue, forget]
}

function read(key: string): object {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? '{}')
    return typeof kept === 'object' && kept !== null ? kept : {}
  } catch {
    return {} // storage is switched off, or holds something else
  }
}
