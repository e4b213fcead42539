export { copySqliteFile, openSqliteStore, type SqliteStore } from './open-sqlite-store.ts'
export type { Store } from './store.ts'
