import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from 'react'

export const inputClass =
  'w-full rounded-md border bg-surface px-2.5 py-1.5 text-[13px] placeholder:text-muted disabled:opacity-60'

interface Labelled {
  readonly label: string
  readonly hint?: ReactNode
}

function Wrapped({ label, hint, children }: Labelled & { readonly children: ReactNode }) {
  return (
    <label className="flex flex-col gap-1">
      <span className="text-xs font-medium">{label}</span>
      {children}
      {hint && <span className="text-xs text-muted">{hint}</span>}
    </label>
  )
}

interface TextFieldProps extends Labelled, InputHTMLAttributes<HTMLInputElement> {
  /** What is wrong with the text; null when nothing is. */
  readonly complaint?: string | null
}

export const TextField = ({ label, hint, complaint = null, ...rest }: TextFieldProps) => (
  <Wrapped label={label} hint={complaint === null ? hint : <span className="text-bad">{complaint}</span>}>
    <input className={`${inputClass} h-8.5`} aria-invalid={complaint !== null} {...rest} />
  </Wrapped>
)

export const TextArea = ({
  label,
  hint,
  ...rest
}: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>) => (
  <Wrapped label={label} hint={hint}>
    <textarea rows={3} className={inputClass} {...rest} />
  </Wrapped>
)

export const SelectField = ({
  label,
  hint,
  children,
  ...rest
}: Labelled & SelectHTMLAttributes<HTMLSelectElement>) => (
  <Wrapped label={label} hint={hint}>
    <select className={`${inputClass} h-8.5`} {...rest}>
      {children}
    </select>
  </Wrapped>
)
