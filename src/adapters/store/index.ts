export { copySqliteFile, openSqliteStore } from './open-sqlite-store.ts'
export type { Store } from './store.ts'
