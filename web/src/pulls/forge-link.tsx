import type { ReactNode } from 'react'

/** A link to a page of the forge. An address that is not of the web is shown as text, and is never a link. */
export const ForgeLink = ({ url, children }: { readonly url: string; readonly children: ReactNode }) =>
  /^https?:\/\//.test(url) ? (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className="font-medium wrap-anywhere hover:text-accent hover:underline"
    >
      {children}
      <span aria-hidden className="ml-1 text-muted">
        ↗
      </span>
      <span className="sr-only"> (on the forge)</span>
    </a>
  ) : (
    <span className="font-medium wrap-anywhere">{children}</span>
  )
