import { openUserRepository } from '../../app/find-root.ts'
