import { cutText } from '../../../model/issue/finding-text.ts'
import type { JsonFields, JsonRecord } from '../json/json-fields.ts'

/** An entry of a catalogue such as CWE, as a result or a rule names it: by id, or by its place in a table of the run. */
export interface WrittenTaxon {
  readonly id: string | null
  readonly index: number | null
  /** The catalogue: by name, by guid, or by its place among the run's catalogues. */
  readonly catalogue: string | null
  readonly guid: string | null
  readonly catalogueIndex: number | null
}

/** The entry's own name, such as `CWE-79`; empty when the tables do not have it. */
export type NameTaxon = (taxon: WrittenTaxon) => string

interface Catalogue {
  readonly name: string
  readonly guid: string
  readonly ids: readonly string[]
}

const none: readonly never[] = []
const maxTaxa = 30

/** What a result or rule says of itself by reference: its own entries, and the targets of its relations. */
export function readTaxa(of: JsonRecord, fields: JsonFields): readonly WrittenTaxon[] {
  const taxa = fields.children(of, 'taxa')
  const relations = fields.children(of, 'relationships')
  if (taxa.length + relations.length === 0) return none
  const targets = relations.map((relation) => fields.child(relation, 'target')).filter((one) => one !== null)
  return [...taxa, ...targets].slice(0, maxTaxa).map((reference) => {
    const component = fields.child(reference, 'toolComponent')
    return {
      id: fields.name(reference, 'id'),
      index: fields.integer(reference, 'index'),
      catalogue: component && fields.name(component, 'name'),
      guid: component && fields.name(component, 'guid'),
      catalogueIndex: component && fields.integer(component, 'index'),
    }
  })
}

/** Knows the catalogues of a run: its `taxonomies`, and those that the tool carries itself. */
export function readTaxonomies(tool: unknown, taxonomies: unknown, fields: JsonFields): NameTaxon {
  const written = tool === undefined || tool === null ? {} : fields.object(tool, 'tool')
  const driver = readCatalogue(fields.child(written, 'driver') ?? {}, fields)
  const extensions = fields.children(written, 'extensions').map((one) => readCatalogue(one, fields))
  const own = fields.children({ taxonomies }, 'taxonomies').map((one) => readCatalogue(one, fields))
  const all = [...own, ...extensions, driver]
  const find = ({ guid, catalogue, catalogueIndex }: WrittenTaxon): Catalogue | undefined => {
    if (guid !== null || catalogue !== null) {
      const named = all.find((one) => (guid !== null && one.guid === guid) || one.name === catalogue)
      if (named) return named
    }
    if (catalogueIndex === null) return driver
    return own[catalogueIndex] ?? extensions[catalogueIndex]
  }
  return (taxon) => {
    const catalogue = find(taxon)
    const id = taxon.id ?? (taxon.index === null ? null : catalogue?.ids[taxon.index]) ?? ''
    const name = taxon.catalogue ?? catalogue?.name ?? ''
    return cutText(name.toUpperCase() === 'CWE' && /^\d+$/.test(id) ? `CWE-${id}` : id, 200)
  }
}

const readCatalogue = (component: JsonRecord, fields: JsonFields): Catalogue => ({
  name: fields.text(component, 'name') ?? '',
  guid: fields.text(component, 'guid') ?? '',
  ids: fields.children(component, 'taxa').map((taxon) => fields.name(taxon, 'id') ?? ''),
})
