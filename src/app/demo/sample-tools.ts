import type { SampleFiles } from './sample-files.ts'

/** The Python beside the shop. The SQL statement is a mistake that no rule can mend by itself. */
export const sampleTools: SampleFiles = {
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


def orders_of(database, customer):
    with sqlite3.connect(database) as connection:
        return connection.execute(f"SELECT sku, quantity FROM orders WHERE customer = '{customer}'").fetchall()
`,
}
