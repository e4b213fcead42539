export { copySqliteFile, openSqliteStore } from './open-sqlite-store.ts'
export type { Store, StoreFigures } from './store.ts'
