import { expect, test } from 'vitest'
import { strictSchema } from './run-files.ts'

test('objects are closed, all properties required, choices typed, at every depth', () => {
  const schema = {
    type: 'object',
    properties: {
      outcome: { enum: ['fixed', 'blocked'] },
      files: { type: 'array', items: { type: 'object', properties: { path: { type: 'string' } } } },
    },
    required: ['outcome'],
  }
  expect(strictSchema(schema)).toEqual({
    type: 'object',
    properties: {
      outcome: { type: 'string', enum: ['fixed', 'blocked'] },
      files: {
        type: 'array',
        items: {
          type: 'object',
          properties: { path: { type: 'string' } },
          required: ['path'],
          additionalProperties: false,
        },
      },
    },
    required: ['outcome', 'files'],
    additionalProperties: false,
  })
})

test.each([
  [{ type: 'object', additionalProperties: { type: 'string' } }],
  [{ type: 'object', properties: {}, additionalProperties: true }],
  [{ type: 'array' }],
  [{ type: 'object', properties: { a: { anyOf: [] } } }],
  [{ enum: [1, 'a'] }],
])('%j cannot be made strict', (schema) => {
  expect(strictSchema(schema)).toBeNull()
})
