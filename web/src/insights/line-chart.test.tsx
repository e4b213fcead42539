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
