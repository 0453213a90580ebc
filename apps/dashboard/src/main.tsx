import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from './api/query-client.ts'
import { createAppRouter } from './routes.tsx'
import './styles.css'
import { guardPresses } from './ui/press-guard.ts'
import { Toasts } from './ui/toast.tsx'
import { Tooltips } from './ui/tooltip.tsx'

const queryClient = createQueryClient()
const router = createAppRouter(queryClient)

guardPresses()

const root = document.getElementById('root')
if (!root) throw new Error('The page has no element for the application.')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Toasts />
      <Tooltips />
    </QueryClientProvider>
  </StrictMode>,
)
