import type { Program } from '../program.ts'

export const program: Program = {
  name: 'money-format',
  source: `export const price = (cents) => \`$\${cents / 100}\`
export const cents = (dollars) => Math.round(dollars * 100)
`,
  test: {
    keeps: `assert.equal(m.price(199), '$1.99'); assert.equal(m.cents(1.1), 110)`,
    shows: `assert.equal(m.price(150), '$1.50'); assert.equal(m.price(5), '$0.05')`,
  },
  heldBack: `assert.equal(m.price(200), '$2.00')`,
  fix: ['cents / 100}', '(cents / 100).toFixed(2)}'],
  partial: ['cents / 100}', 'cents / 100}0'],
  overfit: ['`$${cents / 100}`', `\`$\${cents / 100}\${cents % 10 === 0 ? '0' : ''}\``],
  breaks: ['dollars * 100', 'dollars * 10'],
}
