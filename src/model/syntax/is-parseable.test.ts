import { describe, expect, it } from 'vitest'
import { isParseable } from './is-parseable.ts'

describe('what the parser is given', () => {
  it.each([
    ['code', 'const a = [1, 2]\n'.repeat(100)],
    ['a banner in a comment', `// ${'='.repeat(200)}\nconst a = 1\n`],
    ['globs in texts', "const a = ['src/**/*.ts', 'test/**/*.ts']\n"],
    ['a text of operators', `const a = '${'*/'.repeat(100)}'\n`],
  ])('may be %s', (_, source) => {
    expect(isParseable(source, 'javascript')).toBe(true)
  })

  it.each([
    ['an endless line', 'a = 1;'.repeat(1000)],
    ['comments that never close', '/*\n'.repeat(1000)],
    ['a run of operators', 'a = * / + * / + * / + * / + * / + * / + * / + * / + * / + * / + * /\n'],
    ['more text than people write', 'const a = 1\n'.repeat(50_000)],
  ])('is never %s', (_, source) => {
    expect(isParseable(source, 'python')).toBe(false)
  })
})
