import { useState } from 'react'
import { Button } from '../ui/button.tsx'

const permission = (): NotificationPermission | null =>
  typeof Notification === 'undefined' ? null : Notification.permission

/** Asks the browser once whether it may notify the person; the button is hidden when the browser has already decided. */
export function NotifyButton() {
  const [state, setState] = useState(permission)
  if (state === 'denied') return <span className="text-xs text-muted">This browser does not notify you</span>
  if (state === 'granted') return <span className="text-xs text-muted">This browser notifies you</span>
  if (state === null) return null
  return (
    <Button onClick={() => void Notification.requestPermission().then(setState)}>
      Notify me in this browser
    </Button>
  )
}
