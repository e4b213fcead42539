import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { LineChart } from './line-chart.tsx'

const show = (values: readonly number[]) =>
  render(
    <LineChart
      label="Open issues"
      kind="count"
      format={String}
      points={values.map((value, index) => ({ name: `2030-01-0${index + 1}`, value }))}
    />,
  ).container

it('a single day is a bar with its number and its date', () => {
  const page = show([7])
  expect(page.querySelectorAll('circle')).toHaveLength(0)
  expect(Number(page.querySelector('rect')?.getAttribute('height'))).toBeGreaterThan(50)
  const texts = [...page.querySelectorAll('text')].map(({ textContent }) => textContent)
  expect(texts).toEqual(['0', '5', '10', '7', 'Jan 1'])
})

it('several days are a line with a point for each', () => {
  const page = show([7, 3])
  expect(page.querySelectorAll('circle')).toHaveLength(2)
  expect(page.querySelector('rect')).toBeNull()
})

it('the last of many days has its whole label inside of the picture', () => {
  const days = Array.from({ length: 30 }, (_, day) => ({
    name: `2026-11-${String(day + 1).padStart(2, '0')}`,
    value: day,
  }))
  const { container } = render(<LineChart label="Cost" points={days} kind="count" format={String} />)
  const width = Number(container.querySelector('svg')?.getAttribute('width'))
  const last = [...container.querySelectorAll('text')].at(-1)
  expect(last?.textContent).toBe('Nov 30')
  expect(Number(last?.getAttribute('x'))).toBeLessThanOrEqual(width - 20)
})
