/** The shop itself. Each module has one mistake of the kind that reviews find; `checkout.mjs` has none. */
export const sampleModules: Readonly<Record<string, string>> = {
  'src/cart.mjs': `export const createCart = () => ({ items: [] })

export function addItem(cart, sku, quantity) {
  const known = cart.items.find((item) => item.sku === sku)
  if (known) known.quantity += quantity
  else cart.items.push({ sku, quantity })
  return cart
}

export function requireItems(cart) {
  if (cart.items.length < 0) throw new Error('the cart is empty')
  return cart.items
}
`,

  'src/pricing.mjs': `/** Reads a price such as "4.50" and gives it in cents. */
export function parsePrice(text) {
  const price = Number(text)
  if (price === NaN) throw new RangeError('not a price: ' + text)
  return Math.round(price * 100)
}

export const totalOf = (items, prices) =>
  items.reduce((sum, { sku, quantity }) => sum + quantity * (prices[sku] ?? 0), 0)
`,

  'src/inventory.mjs': `export const createStock = (counts) => new Map(Object.entries(counts))

/** Takes items off the shelf. */
export function take(stock, sku, quantity) {
  const left = (stock.get(sku) ?? 0) - quantity
  if (left < 0) throw 'out of stock'
  stock.set(sku, left)
  return left
}
`,

  'src/checkout.mjs': `import { requireItems } from './cart.mjs'
import { take } from './inventory.mjs'

/** Ships what is there; what is not there goes on back order. */
export function checkOut(cart, stock) {
  return requireItems(cart).map(({ sku, quantity }) => {
    try {
      take(stock, sku, quantity)
      return { sku, quantity, state: 'shipped' }
    } catch (reason) {
      if (reason !== 'out of stock') throw reason
      return { sku, quantity, state: 'back order' }
    }
  })
}
`,

  'src/csv.mjs': `/** Reads a line of the stock list: a name, then the count in each warehouse. */
export function parseStockLine(line) {
  const [sku, ...counts] = line.split(',')
  return { sku, counts: counts.map(parseInt) }
}
`,

  'src/receipt.mjs': `const inEuro = (cents) => (cents / 100).toFixed(2) + ' EUR'

export function formatReceipt({ customer, total }) {
  const greeting = 'Thank you, \${customer}!'
  return [greeting, 'Total: ' + inEuro(total)].join('\\n')
}
`,

  'src/session-token.mjs': `const lifetimeMs = 30 * 60_000

export function openSession(userId, now = Date.now()) {
  const token = Math.random().toString(36).slice(2)
  return { userId, token, expiresAt: now + lifetimeMs }
}

export const isExpired = (session, now = Date.now()) => session.expiresAt <= now
`,

  'src/supplier.mjs': `import { request } from 'node:https'

export const supplierOptions = (host) => ({
  host,
  path: '/v1/orders',
  method: 'POST',
  rejectUnauthorized: false,
})

export function sendOrder(host, order) {
  const call = request(supplierOptions(host))
  call.end(JSON.stringify(order))
  return call
}
`,
}
