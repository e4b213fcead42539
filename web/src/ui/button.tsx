import type { ButtonHTMLAttributes } from 'react'

type Look = 'primary' | 'plain' | 'danger' | 'quiet'

const looks: Readonly<Record<Look, string>> = {
  primary: 'border-transparent bg-solid text-white hover:brightness-110',
  plain: 'bg-surface text-fg hover:bg-sunken',
  danger: 'bg-surface text-bad hover:bg-removed',
  quiet: 'border-transparent text-muted hover:bg-sunken hover:text-fg',
}

const shape =
  'inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border px-3 text-[13px] font-medium whitespace-nowrap transition-colors disabled:cursor-not-allowed disabled:opacity-50'

/** The classes for links that look like buttons. */
export const buttonClass = (look: Look = 'plain'): string => `${shape} ${looks[look]}`

export function Button({
  look = 'plain',
  className = '',
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { readonly look?: Look }) {
  return <button type="button" className={`${buttonClass(look)} ${className}`} {...rest} />
}
