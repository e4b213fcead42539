import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { DayChart } from './day-chart.tsx'

const parts = [{ key: 'fixed', label: 'fixed', fill: 'fill-ok', dot: 'bg-ok' }]
const show = (counts: readonly number[]) =>
  render(
    <DayChart
      parts={parts}
      days={counts.map((fixed, index) => ({
        day: `2030-03-${String(index + 1).padStart(2, '0')}`,
        counts: { fixed },
      }))}
      onOpen={() => undefined}
    />,
  ).container

it('the last day has its whole label inside of the picture', () => {
  const page = show(Array.from({ length: 31 }, () => 2))
  const width = Number(page.querySelector('svg')?.getAttribute('width'))
  const last = [...page.querySelectorAll('text')].at(-1)
  expect(last?.textContent).toBe('Mar 31')
  expect(Number(last?.getAttribute('x'))).toBeLessThanOrEqual(width - 20)
})

it('days without anything are said to be empty, instead of an empty axis', () => {
  const page = show([0, 0])
  expect(screen.getByText('Nothing yet.')).toBeTruthy()
  expect(page.querySelector('svg')).toBeNull()
})
