import { render } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { Prose } from './prose.tsx'

const htmlOf = (text: string): string => {
  const { container } = render(<Prose text={text} />)
  container.querySelectorAll('code').forEach((code) => code.removeAttribute('class'))
  return container.innerHTML
}

describe('the text of a finding', () => {
  it.each([
    ['`time` imported but unused', '<code>time</code> imported but unused'],
    ['raise `a` from `b`', 'raise <code>a</code> from <code>b</code>'],
    ['a lone ` and an empty `` stay', 'a lone ` and an empty `` stay'],
    ['`<script>` is text', '<code>&lt;script&gt;</code> is text'],
    ['hidden \u202E signs', 'hidden ⟨U+202E⟩ signs'],
  ])('%j is shown as %j', (text, html) => {
    expect(htmlOf(text)).toBe(html)
  })
})
