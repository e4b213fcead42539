type Schema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The schema as the service demands it: every object closed, every property required, every choice with its type. Null
 * when that cannot be, as for objects with free keys.
 */
export function strictSchema(schema: Schema): Schema | null {
  if (schema['type'] === 'object') return strictObject(schema)
  if (schema['type'] === 'array') {
    const items = isSchema(schema['items']) ? strictSchema(schema['items']) : null
    return items && { ...schema, items }
  }
  const choices = schema['enum']
  if (schema['type'] === undefined && Array.isArray(choices))
    return choices.every((choice) => typeof choice === 'string') ? { type: 'string', ...schema } : null
  return typeof schema['type'] === 'string' ? schema : null
}

function strictObject(schema: Schema): Schema | null {
  const { properties, additionalProperties = false } = schema
  if (!isSchema(properties) || additionalProperties !== false) return null
  const strict: [string, Schema][] = []
  for (const [name, property] of Object.entries(properties)) {
    const inner = isSchema(property) ? strictSchema(property) : null
    if (inner === null) return null
    strict.push([name, inner])
  }
  return {
    ...schema,
    properties: Object.fromEntries(strict),
    required: strict.map(([name]) => name),
    additionalProperties: false,
  }
}
