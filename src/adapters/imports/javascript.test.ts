import { describe, expect, it } from 'vitest'
import { readJavaScriptImports } from './javascript.ts'

describe('what JavaScript text loads', () => {
  it.each<[string, string, readonly string[]]>([
    ['a default import', `import a from './a.js'`, ['./a.js']],
    ['names over several lines', `import {\n  a, // 'x'\n  b,\n} from './a'`, ['./a']],
    ['an import for its effects', `import './a.css'`, ['./a.css']],
    ['types', `import type { A } from './a.ts'`, ['./a.ts']],
    ['a barrel', `export * from './a'\nexport { b } from "./b"`, ['./a', './b']],
    ['a literal dynamic import', 'const a = await import(`./a.js`)', ['./a.js']],
    ['a require', `const a = require( /* the */ './a')`, ['./a']],
    ['a require of TypeScript', `import a = require('./a')`, ['./a']],
    ['a resolved path', `require.resolve('./a')`, ['./a']],
    ['what follows a pattern with a quote', `const q = /["'\`]/g\nimport a from './a'`, ['./a']],
    ['what follows a nested template', 'const t = `a ${b ? `c` : ""} d`\nrequire("./a")', ['./a']],
  ])('is %s', (_, text, expected) => {
    expect(readJavaScriptImports(text)).toEqual(expected)
  })

  it.each([
    ['a comment', `// import a from './a'\n/* require('./b') */`],
    ['a text', `const a = "import b from './b'"`],
    ['a template', "const a = `\nimport b from './b'\n`"],
    ['a computed name', 'import(name); require(`./${name}`)'],
    ['a method of that name', `a.require('./b'); Array.from('c')`],
    ['a word that ends so', `reimport('./a'); $require('./b')`],
  ])('is not what stands in %s', (_, text) => {
    expect(readJavaScriptImports(text)).toEqual([])
  })

  it.each([
    ['comments', `import ${'/* */ '.repeat(20_000)}x`],
    ['line comments', `import ${'// //\n'.repeat(20_000)}x`],
    ['brackets of a pattern', `= /${'[['.repeat(20_000)}`],
    ['patterns that never close', '=/a'.repeat(50_000)],
    ['open quotes', `"\\`.repeat(50_000)],
  ])('is read in time that grows with the text, also for %s', (_, text) => {
    expect(readJavaScriptImports(text)).toEqual([])
  })
})
