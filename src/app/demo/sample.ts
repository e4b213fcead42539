import { sampleModules } from './sample-modules.ts'

/** The sample's own suite: green from the first commit, and the judge of every fix. */
const sampleTests: Readonly<Record<string, string>> = {
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

/** The Python beside the shop. The SQL statement is a mistake that no rule can mend by itself. */
const sampleTools: Readonly<Record<string, string>> = {
  'tools/report.py': `"""Sums up the orders of a day."""

import json
import sys


def totals_by_sku(orders, totals={}):
    for order in orders:
        totals[order["sku"]] = totals.get(order["sku"], 0) + order["quantity"]
    return totals


if __name__ == "__main__":
    print(json.dumps(totals_by_sku(json.load(sys.stdin)), indent=2))
`,

  'tools/import_orders.py': `"""Reads order lines into the database of the shop."""

import sqlite3


def parse_line(line):
    sku, quantity = line.strip().split(",")
    return sku, int(quantity)


def read_orders(lines):
    orders, skipped = [], 0
    for line in lines:
        try:
            orders.append(parse_line(line))
        except:
            skipped += 1
    return orders, skipped


def orders_of(database, request):
    customer = request.args["customer"]
    with sqlite3.connect(database) as connection:
        return connection.execute(f"SELECT sku, quantity FROM orders WHERE customer = '{customer}'").fetchall()
`,
}

/** A small shop with its own tests and honest mistakes. */
export const sampleFiles: Readonly<Record<string, string>> = {
  'README.md': `# Corner shop

Cart, prices, stock and checkout of a small shop, and two tools for its orders. Run the tests with \`npm test\`.
`,

  'AGENTS.md': `# Conventions

- Modules are small and have no dependencies; prices are whole cents.
- Every change keeps \`npm test\` green. Tests are not changed to make a fix pass.
- Tools in \`tools/\` use the Python standard library only.
`,

  'package.json': `{
  "name": "corner-shop",
  "version": "1.0.0",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,

  'fixpoint.yaml': `verify:
  commands:
    - { name: test, run: node --test, timeout: 1m }

# The built-in rules know one fix for each mistake, so a second round would bring nothing new.
agents: { fixer: rules, challenger: rules, reviewers: [rules] }
fix: { max_rounds: 1 }
# Off by default, since callers may compare the text that is thrown; here the tests show that one does.
review: { rules: { js/throw-literal: minor } }
`,

  ...sampleModules,
  ...sampleTools,
  ...sampleTests,
}
