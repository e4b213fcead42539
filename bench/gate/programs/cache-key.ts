import type { Program } from '../program.ts'

export const program: Program = {
  name: 'cache-key',
  source: `const known = new Map()
export function area(width, height) {
  const key = width + height
  if (!known.has(key)) known.set(key, width * height)
  return known.get(key)
}
export const perimeter = (width, height) => 2 * (width + height)
`,
  test: {
    keeps: `assert.equal(m.area(7, 8), 56); assert.equal(m.perimeter(1, 2), 6)`,
    shows: `assert.equal(m.area(2, 3), 6); assert.equal(m.area(1, 4), 4); assert.equal(m.area(1, 23), 23); assert.equal(m.area(12, 3), 36)`,
  },
  heldBack: `assert.equal(m.area(1, 1000), 1000); assert.equal(m.area(3, 998), 2994); assert.equal(m.area(2, 0), 0)`,
  fix: [
    `width + height
  if`,
    `\`\${width}x\${height}\`
  if`,
  ],
  partial: [
    `width + height
  if`,
    `\`\${width}\${height}\`
  if`,
  ],
  overfit: [
    `width + height
  if`,
    `width * 1000 + height
  if`,
  ],
  breaks: ['2 * (width', '(width'],
}
