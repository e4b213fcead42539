import { describe, expect, it } from 'vitest'
import { filterOf, readSearch, toggle } from './filter.ts'

describe('the filters in the address', () => {
  it('show what there is to do when they say nothing', () => {
    expect(filterOf({})).toEqual({ status: ['open', 'in_progress', 'failed'] })
    expect(filterOf({ status: 'all' })).toEqual({})
  })

  it('take known words only, and leave the rest out', () => {
    expect(
      filterOf(readSearch({ status: 'open,nonsense', severity: 'x', class: 'FE', q: 'a', other: 1 })),
    ).toEqual({
      status: ['open'],
      class: ['FE'],
      q: 'a',
    })
  })

  it('are put in and taken out word by word', () => {
    expect(toggle({}, 'status', 'failed')).toEqual({ status: 'open,in_progress' })
    expect(toggle({ status: 'open,in_progress' }, 'status', 'failed')).toEqual({})
    expect(toggle({ status: 'open' }, 'status', 'open')).toEqual({ status: 'all' })
    expect(toggle({ q: 'a' }, 'severity', 'major')).toEqual({ q: 'a', severity: 'major' })
    expect(toggle({ severity: 'major' }, 'severity', 'major')).toEqual({})
  })
})
