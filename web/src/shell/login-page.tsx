import { useMutation } from '@tanstack/react-query'
import type { SubmitEvent } from 'react'
import { api } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Problem } from '../ui/states.tsx'

/** The page for people who come without a token in the address, such as people with tokens of their own. */
export function LoginPage({ onDone = () => location.reload() }: { readonly onDone?: () => void }) {
  const login = useMutation({ mutationFn: (token: string) => api.login(token), onSuccess: onDone })
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const token = new FormData(event.currentTarget).get('token')
    if (typeof token === 'string' && token.trim() !== '') login.mutate(token.trim())
  }
  return (
    <main className="mx-auto flex min-h-screen max-w-sm flex-col justify-center gap-4 px-6">
      <h1 className="text-lg font-semibold">Log in to Fixpoint</h1>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="Token"
          name="token"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          hint="The one at the end of the address that fixpoint serve printed, or your own: an admin makes it with fixpoint tokens create."
        />
        <Button type="submit" look="primary" disabled={login.isPending}>
          Log in
        </Button>
        <Problem error={login.error} />
      </form>
    </main>
  )
}
