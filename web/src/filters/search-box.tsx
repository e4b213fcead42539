import { useEffect, useRef, useState } from 'react'
import { useStable } from '../ui/use-stable.ts'
import { Icon } from '../ui/icon.tsx'
import { inputClass } from '../ui/field.tsx'

const restMs = 200

/** Writes to the address when the person pauses typing. `/` moves the focus here from anywhere on the page. */
export function SearchBox({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (text: string) => void
}) {
  const [text, setText] = useState(value)
  const ref = useRef<HTMLInputElement>(null)
  const change = useStable(onChange)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return undefined
    const timer = setTimeout(() => change(text.trim()), restMs)
    return () => clearTimeout(timer)
  }, [text, value, change])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (
        event.key !== '/' ||
        event.target instanceof HTMLInputElement ||
        event.target instanceof HTMLTextAreaElement
      )
        return
      event.preventDefault()
      ref.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <label className="relative min-w-0 flex-1 max-sm:basis-full sm:max-w-md">
      <span className="sr-only">Search issues</span>
      <Icon name="search" className="absolute top-2 left-2.5 size-4 text-muted" />
      <input
        ref={ref}
        type="search"
        placeholder="Search title, file, rule or code…"
        className={`${inputClass} pl-8`}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </label>
  )
}
