/** The sample's own suite: green from the first commit, and the judge of every fix. */
export const sampleTests: Readonly<Record<string, string>> = {
  'test/checkout.test.mjs': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addItem, createCart } from '../src/cart.mjs'
import { checkOut } from '../src/checkout.mjs'
import { createStock } from '../src/inventory.mjs'
import { parsePrice, totalOf } from '../src/pricing.mjs'

test('adding an item twice adds up its quantity', () => {
  const cart = addItem(addItem(createCart(), 'tea', 1), 'tea', 2)
  assert.deepEqual(cart.items, [{ sku: 'tea', quantity: 3 }])
})

test('a price is kept in cents', () => {
  assert.equal(parsePrice('4.50'), 450)
})

test('the total counts every item', () => {
  assert.equal(totalOf([{ sku: 'tea', quantity: 2 }], { tea: 450 }), 900)
})

test('an order ships what is in stock', () => {
  const stock = createStock({ tea: 5 })
  assert.equal(checkOut(addItem(createCart(), 'tea', 2), stock)[0].state, 'shipped')
  assert.equal(stock.get('tea'), 3)
})

test('an order beyond the stock goes on back order', () => {
  const order = checkOut(addItem(createCart(), 'tea', 9), createStock({ tea: 5 }))
  assert.equal(order[0].state, 'back order')
})
`,

  'test/service.test.mjs': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseStockLine } from '../src/csv.mjs'
import { formatReceipt } from '../src/receipt.mjs'
import { isExpired, openSession } from '../src/session-token.mjs'
import { supplierOptions } from '../src/supplier.mjs'

test('a stock line has a name and counts', () => {
  assert.deepEqual(parseStockLine('tea,12'), { sku: 'tea', counts: [12] })
})

test('a receipt ends with the total', () => {
  assert.match(formatReceipt({ customer: 'Ada', total: 900 }), /Total: 9\\.00 EUR$/)
})

test('every session has a token of its own', () => {
  assert.notEqual(openSession('ada').token, openSession('ada').token)
})

test('a session ends after half an hour', () => {
  assert.equal(isExpired(openSession('ada', 0), 30 * 60_000), true)
})

test('orders go to the host of the supplier', () => {
  assert.equal(supplierOptions('supplier.example').host, 'supplier.example')
})
`,
}
