/** Writes the generated pages of the reference; a unit test fails when they are not up to date. */
import { mkdir, writeFile } from 'node:fs/promises'
import { agentsPage, configJsonSchema, configurationPage } from '../src/app/config/reference.ts'
import { rulesPage } from './rules-page.ts'

const folder = new URL('../docs/reference/', import.meta.url)
await mkdir(folder, { recursive: true })
await writeFile(new URL('fixpoint.schema.json', folder), `${JSON.stringify(configJsonSchema(), null, 2)}\n`)
await writeFile(new URL('configuration.md', folder), configurationPage())
await writeFile(new URL('agents.md', folder), agentsPage())
await writeFile(new URL('../rules.md', folder), rulesPage())
