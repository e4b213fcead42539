import {
  createSortedRowModel,
  rowSortingFeature,
  sortFn_basic,
  tableFeatures,
  useTable,
  type ColumnDef,
  type RowData,
} from '@tanstack/react-table'
import type { ReactNode } from 'react'
import { formatCost } from './format.ts'

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { basic: sortFn_basic },
})

/** One column of a small table: its sort key and its cell. */
export interface Column<Row extends RowData> {
  readonly id: string
  readonly head: string
  readonly value: (row: Row) => string | number
  readonly cell?: (row: Row) => ReactNode
  readonly isNumber?: boolean
  /** The column is left out on a phone. */
  readonly isWide?: boolean
}

/** Defines columns. Keep them outside of the component: a new list makes a new table. */
export const columnsOf = <Row extends RowData>(columns: readonly Column<Row>[]): readonly Column<Row>[] =>
  columns

export const costColumn: Column<{ readonly cost_usd: number }> = {
  id: 'cost',
  head: 'Cost',
  isNumber: true,
  isWide: true,
  value: ({ cost_usd }) => cost_usd,
  cell: ({ cost_usd }) => formatCost(cost_usd),
}

const defsOf = <Row extends RowData>(columns: readonly Column<Row>[]): ColumnDef<typeof features, Row>[] =>
  columns.map(({ id, head, value }) => ({
    id,
    header: head,
    accessorFn: value,
    sortFn: 'basic',
    sortDescFirst: false,
  }))

const known = new WeakMap<object, unknown>()
function cachedDefs<Row extends RowData>(columns: readonly Column<Row>[]): ColumnDef<typeof features, Row>[] {
  const made = (known.get(columns) as ColumnDef<typeof features, Row>[] | undefined) ?? defsOf(columns)
  known.set(columns, made)
  return made
}

interface Props<Row extends RowData> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
}

/** A table of up to some hundred rows; every column can sort it. */
export function DataTable<Row extends RowData>({ label, columns, rows }: Props<Row>) {
  const table = useTable<typeof features, Row>({ features, columns: cachedDefs(columns), data: rows })
  const look = (id: string): string => {
    const column = columns.find((one) => one.id === id)
    return `${column?.isNumber ? 'text-right' : 'text-left'} ${column?.isWide ? 'max-md:hidden' : ''}`
  }
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
      <table className="w-full border-collapse">
        <thead>
          <tr className="border-b text-xs text-muted">
            {table.getHeaderGroups()[0]?.headers.map(({ id, column }) => (
              <th
                key={id}
                scope="col"
                aria-sort={sortWords[String(column.getIsSorted())]}
                className={`px-4 py-2 font-medium whitespace-nowrap max-sm:px-2.5 ${look(column.id)}`}
              >
                <button type="button" className="hover:text-fg" onClick={column.getToggleSortingHandler()}>
                  {columns.find((one) => one.id === column.id)?.head}
                  <span aria-hidden>{marks[String(column.getIsSorted())]}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id} className="border-b last:border-b-0 hover:bg-sunken">
              {columns.map(({ id, value, cell }) => (
                <td key={id} className={`px-4 py-2 max-sm:px-2.5 ${look(id)}`}>
                  {cell ? cell(row.original) : value(row.original)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const sortWords: Readonly<Record<string, 'ascending' | 'descending' | 'none'>> = {
  asc: 'ascending',
  desc: 'descending',
  false: 'none',
}
const marks: Readonly<Record<string, string>> = { asc: ' ↑', desc: ' ↓', false: '' }
