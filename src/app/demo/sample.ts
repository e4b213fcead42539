import { sampleModules } from './sample-modules.ts'
import { sampleTests } from './sample-tests.ts'

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
