import { z } from 'zod'
import { parseDuration } from '../duration.ts'
import { duration } from './values.ts'

/** One setting as data: what a person may write, what it means, and what the rest of Fixpoint reads. */
export interface Setting<Schema extends z.ZodType = z.ZodType, Full = unknown> {
  readonly schema: Schema
  readonly meaning: string
  /** The value when nobody sets it; undefined when it is then not set. */
  readonly otherwise: z.infer<Schema> | undefined
  /** The value that is read, from the one that was written. */
  resolve(written: z.infer<Schema> | undefined): Full
  /** The flag of the command line that sets it. */
  readonly flag?: string
  /** The flags that set single keys inside of it. */
  readonly flagsWithin?: Readonly<Record<string, string>>
  /** Its words, the loosest first: a repository's file moves it towards the end, never back. */
  readonly loosestFirst?: readonly string[]
  /** Only the person gives it: a repository's file that does is refused. */
  readonly isPersonal?: boolean
  /** Nobody is shown it. */
  readonly isSecret?: boolean
}

/** A setting that is written as `15m` and read as milliseconds, under its name with `_ms`. */
export interface DurationSetting extends Setting<typeof duration, number> {
  readonly unit: 'ms'
}

/** Names the key of a section that a bare word in the place of the section sets: `sandbox: off`. */
export const bareWord: unique symbol = Symbol('bare word')

/** Settings by section and key. */
export interface SettingTree {
  readonly [key: string]: Setting | SettingTree
  readonly [bareWord]?: string
}

type Extras = Pick<Setting, 'flag' | 'flagsWithin' | 'loosestFirst' | 'isPersonal' | 'isSecret'>
type Meant = Extras & { readonly meaning: string }
type Frozen<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value

/** A setting that always has a value. */
export const setting = <Schema extends z.ZodType>(
  schema: Schema,
  { otherwise, ...meant }: Meant & { readonly otherwise: z.infer<Schema> },
): Setting<Schema, Frozen<z.infer<Schema>>> => ({
  schema,
  ...meant,
  otherwise,
  resolve: (written = otherwise) => written as Frozen<z.infer<Schema>>,
})

/** A setting that is null until somebody gives it. */
export const optionalSetting = <Schema extends z.ZodType>(
  schema: Schema,
  meant: Meant,
): Setting<Schema, z.infer<Schema> | null> => ({
  schema,
  ...meant,
  otherwise: undefined,
  resolve: (written) => written ?? null,
})

/** A setting that is read in another form than it is written. */
export const resolvedSetting = <Schema extends z.ZodType, Full>(
  schema: Schema,
  {
    otherwise,
    resolve,
    ...meant
  }: Meant & {
    readonly otherwise?: z.infer<Schema>
    readonly resolve: (written: z.infer<Schema> | undefined) => Full
  },
): Setting<Schema, Full> => ({
  schema,
  ...meant,
  otherwise,
  resolve: (written = otherwise) => resolve(written),
})

export const durationSetting = ({
  otherwise,
  ...meant
}: Meant & { readonly otherwise: string }): DurationSetting => ({
  ...resolvedSetting(duration, {
    ...meant,
    otherwise,
    resolve: (written) => millisecondsOf(written, otherwise),
  }),
  unit: 'ms',
})

export const millisecondsOf = (written: string | undefined, otherwise: string): number =>
  parseDuration(written ?? otherwise) ?? 0

type WrittenShape<Tree> = {
  [Key in keyof Tree & string]: Tree[Key] extends Setting<infer Schema>
    ? z.ZodOptional<Schema>
    : z.ZodOptional<z.ZodObject<WrittenShape<Tree[Key]>, z.core.$strict>>
}

type FullKey<Key, Node> = Node extends DurationSetting ? `${Key & string}_ms` : Key

/** What is read of a tree of settings, once every value is there. */
export type FullOf<Tree> = {
  readonly [Key in keyof Tree & string as FullKey<Key, Tree[Key]>]: Tree[Key] extends Setting<
    z.ZodType,
    infer Full
  >
    ? Full
    : FullOf<Tree[Key]>
}

const isSetting = (node: Setting | SettingTree): node is Setting => 'schema' in node && 'meaning' in node

/** The shape of what a person may write: everything is optional, nothing unknown is accepted. */
export const shapeOf = <Tree extends SettingTree>(tree: Tree): WrittenShape<Tree> =>
  mapTree(tree, (node) =>
    isSetting(node) ? describe(node.schema.optional(), node.meaning) : sectionOf(node).optional(),
  ) as WrittenShape<Tree>

/** Read as a mapping, also where somebody wrote the bare word. */
function sectionOf(tree: SettingTree): z.ZodType {
  const section = z.strictObject(shapeOf(tree))
  const key = tree[bareWord]
  const named = key === undefined ? undefined : tree[key]
  if (key === undefined || named === undefined || !isSetting(named)) return section
  return z.union([named.schema.transform((word) => ({ [key]: word })), section])
}

const describe = (schema: z.ZodType, meaning: string): z.ZodType =>
  meaning === '' ? schema : schema.describe(meaning)

/** The values when nobody sets anything, as one would write them. */
export const defaultsOf = (tree: SettingTree): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(tree)
      .map(([key, node]) => [key, isSetting(node) ? node.otherwise : defaultsOf(node)] as const)
      .filter(([, value]) => value !== undefined),
  )

/** Every value in full. */
export const resolveSettings = <Tree extends SettingTree>(tree: Tree, written: unknown): FullOf<Tree> => {
  const given = (written ?? {}) as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(tree).map(([key, node]) =>
      isSetting(node)
        ? ['unit' in node ? `${key}_ms` : key, node.resolve(given[key])]
        : [key, resolveSettings(node, given[key])],
    ),
  ) as FullOf<Tree>
}

const mapTree = (
  tree: SettingTree,
  map: (node: Setting | SettingTree) => unknown,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(tree).map(([key, node]) => [key, map(node)]))

/** Every setting with its path, in the order of the tree. */
export const settingsIn = (
  tree: SettingTree,
  path: readonly string[] = [],
): readonly { readonly path: readonly string[]; readonly setting: Setting }[] =>
  Object.entries(tree).flatMap(([key, node]) =>
    isSetting(node) ? [{ path: [...path, key], setting: node }] : settingsIn(node, [...path, key]),
  )
