import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { BarList } from './bar-list.tsx'

const show = (counts: Readonly<Record<string, number>>) =>
  render(<BarList counts={counts} name={(key) => `grade ${key}`} onOpen={() => undefined} />).container

describe('counts as bars', () => {
  it('stand in the order of their keys, each as long as its share of the greatest', () => {
    const page = show({ E2: 1, E1: 4, E3: 0 })
    const bars = [...page.querySelectorAll('rect.fill-accent')].map((bar) => bar.getAttribute('width'))
    expect(bars).toEqual(['100', '25', '0'])
    expect([...page.querySelectorAll('dt')].map(({ textContent }) => textContent)).toEqual([
      'grade E1',
      'grade E2',
      'grade E3',
    ])
  })

  it('have no bar of any length where all of them are none', () => {
    expect(show({ E1: 0 }).querySelector('rect.fill-accent')?.getAttribute('width')).toBe('0')
  })

  it('say so where there is nothing to count', () => {
    show({})
    expect(screen.getByText('Nothing yet.')).toBeDefined()
  })
})
