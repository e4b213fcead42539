export { openSqliteStore, type SqliteStore } from './sqlite/open-sqlite-store.ts'
export type { Store } from './store.ts'
export { copySqliteFile } from './sqlite-copy.ts'
