import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './api/client.ts'
import { isLoggedIn, logIn } from './api/login.ts'
import { router } from './router.tsx'
import { LoginPage } from './shell/login-page.tsx'
import './theme.css'

const root = document.querySelector('#root')
if (!root) throw new Error('the page has no place to show itself')
await logIn()
const isKnown = await isLoggedIn()
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      {isKnown ? <RouterProvider router={router} /> : <LoginPage />}
    </QueryClientProvider>
  </StrictMode>,
)
