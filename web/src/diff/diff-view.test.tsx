import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { DiffView } from './diff-view.tsx'

const show = (diff: string) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <DiffView diff={diff} />
    </QueryClientProvider>,
  )

const changed = (lines: readonly string[]): string =>
  `diff --git a/src/a.js b/src/a.js\n--- a/src/a.js\n+++ b/src/a.js\n@@ -1,9 +1,9 @@ function a() {\n${lines.join('\n')}\n`

const rowsOf = (path: string): readonly string[] =>
  [...screen.getByLabelText(`Changes of ${path}`).querySelectorAll('tr')].map(
    ({ textContent }) => textContent,
  )

describe('a diff on a page', () => {
  it('shows each line with its number and what became of it, in words too', () => {
    show(changed([' same', '-old', '+new']))
    expect(screen.getByText('1 file changed, 1 added, 1 removed')).toBeDefined()
    expect(rowsOf('src/a.js')).toEqual([
      '@@ -1,9 +1,9 @@ function a() {',
      '1 same',
      '2−removedold',
      '2+addednew',
    ])
  })

  it('shows text of a patch as text', () => {
    const { container } = show(changed(['+<img src=x onerror=alert(1)>']))
    expect(container.querySelector('img')).toBeNull()
    expect(rowsOf('src/a.js')[1]).toContain('<img src=x onerror=alert(1)>')
  })

  it('names a renamed file by both names, and says that a file is binary', () => {
    show(
      'diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n' +
        'diff --git a/i.png b/i.png\nBinary files a/i.png and b/i.png differ\n',
    )
    expect(screen.getByText('x → y')).toBeDefined()
    expect(screen.getByText('A binary file.')).toBeDefined()
  })

  it('shows the rest of a long file on request', () => {
    const { container } = show(changed(Array.from({ length: 1_600 }, (_, line) => `+line ${line}`)))
    const buttons = () => [...container.querySelectorAll('button')]
    expect(container.querySelectorAll('tr')).toHaveLength(1_501)
    expect(buttons().map(({ textContent }) => textContent)).toEqual(['Show all 1,600 lines'])
    buttons().forEach((button) => fireEvent.click(button))
    expect(container.querySelectorAll('tr')).toHaveLength(1_601)
    expect(buttons()).toEqual([])
  })

  it('says so when nothing was changed', () => {
    show('')
    expect(screen.getByText('Nothing was changed.')).toBeDefined()
  })
})
