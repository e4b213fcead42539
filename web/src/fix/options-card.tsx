import { Card } from '../ui/layout.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import type { FixOptions } from './options.ts'

interface Props {
  readonly options: FixOptions
  readonly onChange: (next: FixOptions) => void
}

export function OptionsCard({ options, onChange }: Props) {
  const bind = (name: 'notes' | 'branch' | 'path' | 'extraPaths') => ({
    value: options[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onChange({ ...options, [name]: target.value }),
  })
  return (
    <Card title="Options">
      <div className="grid gap-4 md:grid-cols-2">
        <div className="md:col-span-2">
          <TextArea
            label="Notes for the fixer"
            placeholder="What it should know, prefer or leave alone"
            {...bind('notes')}
          />
        </div>
        <TextField label="Only this folder may change" placeholder="as configured" {...bind('path')} />
        <TextField
          label="These may change too"
          placeholder="paths, separated by commas"
          {...bind('extraPaths')}
        />
        <TextField label="Branch" placeholder="made from the titles" {...bind('branch')} />
        <label className="flex items-center gap-2 self-end pb-2">
          <input
            type="checkbox"
            className="size-4 accent-solid"
            disabled={options.branch === ''}
            checked={options.useExisting}
            onChange={({ target }) => onChange({ ...options, useExisting: target.checked })}
          />
          Go on from this branch if it exists
        </label>
      </div>
    </Card>
  )
}
