import type { Program } from '../program.ts'

export const program: Program = {
  name: 'case-sensitive',
  source: `export const has = (headers, name) => name in headers
export const names = (headers) => Object.keys(headers)
`,
  test: {
    keeps: `assert.equal(m.has({ Accept: 1 }, 'Accept'), true); assert.deepEqual(m.names({ a: 1 }), ['a'])`,
    shows: `assert.equal(m.has({ 'Content-Type': 1 }, 'content-type'), true)`,
  },
  heldBack: `assert.equal(m.has({ ETag: 1 }, 'etag'), true)`,
  fix: ['name in headers', 'Object.keys(headers).some((key) => key.toLowerCase() === name.toLowerCase())'],
  partial: ['name in headers', 'name in headers || name.toLowerCase() in headers'],
  overfit: ['name in headers', `name.replace(/\\b\\w/g, (letter) => letter.toUpperCase()) in headers`],
  breaks: [
    `Object.keys(headers)
`,
    `Object.values(headers)
`,
  ],
}
