import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divideFiles, type Claim } from './divide.ts'

const claim = (code: string, file: string | null, ...reported: string[]): Claim => ({ code, file, reported })

describe('the files of one patch', () => {
  it('go to the issues that name them', () => {
    expect(divideFiles(['a.ts', 'b.ts'], [claim('A', 'a.ts', 'a.ts'), claim('B', 'b.ts', 'b.ts')])).toEqual([
      { codes: ['A'], files: ['a.ts'] },
      { codes: ['B'], files: ['b.ts'] },
    ])
  })
  it('that several issues name make one bundle of these', () => {
    const claims = [
      claim('A', 'a.ts', 'a.ts', 'x.ts'),
      claim('B', 'b.ts', 'b.ts'),
      claim('C', 'c.ts', 'x.ts'),
    ]
    expect(divideFiles(['a.ts', 'b.ts', 'x.ts'], claims)).toEqual([
      { codes: ['A', 'C'], files: ['a.ts', 'x.ts'] },
      { codes: ['B'], files: ['b.ts'] },
    ])
  })
  it('that nobody names join the nearest issue', () => {
    const claims = [claim('A', 'api/a.ts', 'api/a.ts'), claim('B', 'web/b.ts', 'web/b.ts')]
    expect(divideFiles(['api/a.ts', 'web/b.ts', 'web/new.ts'], claims)[1]).toEqual({
      codes: ['B'],
      files: ['web/b.ts', 'web/new.ts'],
    })
  })
  it('go by the finding where a report names nothing that changed', () => {
    expect(divideFiles(['a.ts'], [claim('A', 'a.ts', 'elsewhere.ts')])).toEqual([
      { codes: ['A'], files: ['a.ts'] },
    ])
  })
  it('leave an issue that changed nothing with nothing', () => {
    expect(divideFiles(['a.ts'], [claim('A', 'a.ts', 'a.ts'), claim('B', 'b.ts')])[1]).toEqual({
      codes: ['B'],
      files: [],
    })
  })
  it('and the issues are each in exactly one bundle, whatever is claimed', () => {
    const path = fc.constantFrom('a.ts', 'b.ts', 'x/c.ts', 'x/d.ts', 'e')
    const claims = fc.uniqueArray(
      fc.record({
        code: fc.constantFrom('A', 'B', 'C', 'D'),
        file: fc.option(path),
        reported: fc.array(path),
      }),
      { selector: ({ code }) => code, minLength: 1 },
    )
    fc.assert(
      fc.property(fc.uniqueArray(path), claims, (changed, given) => {
        const bundles = divideFiles(changed, given)
        expect(bundles.flatMap(({ files }) => files).toSorted()).toEqual(changed.toSorted())
        expect(bundles.flatMap(({ codes }) => codes).toSorted()).toEqual(
          given.map(({ code }) => code).toSorted(),
        )
      }),
    )
  })
})
