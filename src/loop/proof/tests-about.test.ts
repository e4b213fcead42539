import { expect, it } from 'vitest'
import { testsAbout } from './tests-about.ts'

it.each([
  ['src/cart.mjs', 'adds', "import { add } from '../../model/src/cart.mjs'\ntest('adds', () => {})"],
  [
    'src/cart.ts',
    'cart > adds #2',
    "const { add } = require('../../model/src/cart')\ntest('adds', () => {})",
  ],
  [
    'shop/cart.py',
    'tests/test_cart.py::TestCart::test_add[1-2]',
    'from shop.cart import add\ndef test_add(): pass',
  ],
  ['src/cart/index.ts', 'adds', "import { add } from '../../model/src/cart'\ntest('adds', () => {})"],
])('a red test of %s: %s', (file, name, text) => {
  expect(testsAbout({ file, others: ['src/other.mjs'] }, [name], [text])).toEqual([name])
})

it.each([
  [
    'another file is loaded',
    'src/cart.mjs',
    'adds',
    "import { add } from '../../model/src/my-cart.mjs'\ntest('adds', () => {})",
  ],
  ['the name is only spoken of', 'src/cart.mjs', 'adds', "// about the cart\ntest('adds', () => {})"],
  [
    'the test stands elsewhere',
    'src/cart.mjs',
    'adds',
    "import { add } from '../../model/src/cart.mjs'\ntest('sums', () => {})",
  ],
  [
    'the name says nothing',
    'src/index.ts',
    'adds',
    "import { add } from '../../model/src/index.ts'\ntest('adds', () => {})",
  ],
])('not one of its own: %s', (_name, file, name, text) => {
  expect(testsAbout({ file, others: ['src/other.mjs'] }, [name], [text])).toEqual([])
})
